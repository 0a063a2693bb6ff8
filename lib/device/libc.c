// SPDX-License-Identifier: MIT
/* Samples by the C library's profil(), which has a timer and SIGPROF for them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <profil.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "block.h"
#include "device/libc.h"

typedef int profil_fn(unsigned short *, size_t, size_t, unsigned int);

/* A static program or another C library may lack them. */
#pragma weak dlsym
#pragma weak dlerror
#pragma weak __profil
profil_fn __profil;

static bool libc_on;
static pid_t libc_pid;		/* of the process that has the timer */
static unsigned short *libc_bins;	/* of the profile that is on */
static struct timeval libc_period;	/* of its timer */
static struct itimerval own_timer;	/* that the program had before it */
static pid_t libc_locker;	/* guards the five above; 0: free */

static profil_fn *libc_profil(void)
{
	static profil_fn *found;
	static bool asked;
	profil_fn *next;

	/* Once, because dlsym() is also what dlerror() tells of. */
	if (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE) && dlsym) {
		next = (profil_fn *)(uintptr_t)dlsym(RTLD_NEXT, "profil");
		/* musl would tell the program of it. */
		if (!next && dlerror)
			dlerror();
		__atomic_store_n(&found, next, __ATOMIC_RELAXED);
		__atomic_store_n(&asked, true, __ATOMIC_RELEASE);
	}
	next = __atomic_load_n(&found, __ATOMIC_RELAXED);
	return next ? next : __profil;
}

bool profil_libc_find(void)
{
	return libc_profil();
}

/* No SIGPROF is on its way when this returns; the caller has it blocked. */
static void libc_timer_end(void)
{
	static const struct itimerval none;
	static const struct timespec now;
	sigset_t prof;

	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	setitimer(ITIMER_PROF, &none, NULL);
	while (sigtimedwait(&prof, NULL, &now) == SIGPROF)
		;
}

/*
 * Threads take turns, as libc's profil() has no lock.  Signals are blocked, so
 * that no handler calls profil() between libc's steps.  A forked child takes the
 * lock over from its parent, because it has no thread that would unlock it.
 */
static void libc_lock(struct profil_blocked *old)
{
	pid_t self = getpid(), seen = 0;

	profil_block(old);
	while (!__atomic_compare_exchange_n(&libc_locker, &seen, self, false,
					    __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		if (seen != self)
			continue;
		seen = 0;
		sched_yield();
	}
}

static void libc_unlock(const struct profil_blocked *old)
{
	__atomic_store_n(&libc_locker, 0, __ATOMIC_RELEASE);
	profil_unblock(old);
}

/*
 * libc restores the default action, by which a SIGPROF still on its way would
 * kill.  So the timer ends first, and what it left behind is taken away.
 *
 * At its end libc forgets where its bins are, but not how many.  Its handler in
 * another thread would then count at NULL.  So libc is given no bins first.
 *
 * Each of the two calls sets the program's own timer, which adds a tick to it.
 */
static int libc_end(void)
{
	static const struct itimerval none;
	int ret;

	if (!__atomic_exchange_n(&libc_on, false, __ATOMIC_RELAXED))
		return 0;
	libc_timer_end();
	libc_profil()(libc_bins, 0, 0, 0);
	libc_timer_end();
	ret = libc_profil()(NULL, 0, 0, 0);
	/* A forked child has no timer, but the copy that libc kept of one. */
	setitimer(ITIMER_PROF, libc_pid == getpid() ? &own_timer : &none, NULL);
	return ret;
}

int profil_libc_stop(void)
{
	struct profil_blocked old;
	int ret;

	libc_lock(&old);
	ret = libc_end();
	libc_unlock(&old);
	return ret;
}

int profil_libc_start(const struct profil_region *region)
{
	struct profil_blocked old;
	int ret;

	if (!profil_writable(region->base, region->size))
		return profil_fail(EFAULT);
	libc_lock(&old);
	libc_end();
	getitimer(ITIMER_PROF, &own_timer);
	libc_bins = (unsigned short *)(uintptr_t)region->base;
	ret = libc_profil()(libc_bins, (size_t)region->size,
			    (size_t)region->offset, region->scale);
	if (ret == 0) {
		struct itimerval timer;

		getitimer(ITIMER_PROF, &timer);
		libc_period = timer.it_interval;
		__atomic_store_n(&libc_pid, getpid(), __ATOMIC_RELAXED);
		__atomic_store_n(&libc_on, true, __ATOMIC_RELAXED);
	}
	libc_unlock(&old);
	return ret;
}

void profil_libc_pause(struct itimerval *timer)
{
	struct profil_blocked old;
	int saved = errno;

	*timer = (struct itimerval){ 0 };
	/* A child of vfork() has this memory, and no timer. */
	if (!__atomic_load_n(&libc_on, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&libc_pid, __ATOMIC_RELAXED) != getpid())
		return;
	libc_lock(&old);
	/* Else it is the program's own. */
	if (__atomic_load_n(&libc_on, __ATOMIC_RELAXED)) {
		getitimer(ITIMER_PROF, timer);
		if (timer->it_interval.tv_sec == libc_period.tv_sec &&
		    timer->it_interval.tv_usec == libc_period.tv_usec)
			libc_timer_end();
		else
			*timer = (struct itimerval){ 0 };
	}
	libc_unlock(&old);
	errno = saved;
}

/* Another thread may have ended the profile, and its handler, since. */
int profil_libc_resume(const struct itimerval *timer, int ret)
{
	struct profil_blocked old;
	int saved = errno;

	if (!timer->it_interval.tv_usec && !timer->it_interval.tv_sec)
		return ret;
	libc_lock(&old);
	if (__atomic_load_n(&libc_on, __ATOMIC_RELAXED))
		setitimer(ITIMER_PROF, timer, NULL);
	libc_unlock(&old);
	errno = saved;
	return ret;
}
