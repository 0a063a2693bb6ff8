// SPDX-License-Identifier: MIT
/*
 * Says at the end of a preloaded program that it was not profiled, and what to
 * do: once for what the user started, not for what that started in turn.
 *
 * A process with a parent that has this library too is silent.  So is one with
 * children that go on, or that wrote a profile; and one in a sandbox, which
 * might not survive another system call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "block.h"
#include "internal.h"
#include "signal/signals.h"

#ifndef PR_SET_SECCOMP
#define PR_SET_SECCOMP	22
#endif

/* Neither is in every C library. */
#pragma weak __cxa_thread_atexit_impl
#pragma weak __libc_single_threaded
int __cxa_thread_atexit_impl(void (*function)(void *), void *arg, void *dso);
extern char __libc_single_threaded;
extern void *__dso_handle;

static bool wanted;		/* the user started this, preloaded */
static pid_t self;
static struct timespec begin;

static bool is_newer(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 &&
	       (st.st_mtim.tv_sec > begin.tv_sec ||
		(st.st_mtim.tv_sec == begin.tv_sec &&
		 st.st_mtim.tv_nsec >= begin.tv_nsec));
}

/* As a shell or make that ran a -pg program. */
static bool child_has_profile(void)
{
	const char *prefix = secure_getenv("GMON_OUT_PREFIX");
	struct rusage usage;
	char name[256];
	char *slash;

	if (getrusage(RUSAGE_CHILDREN, &usage) != 0 || !usage.ru_maxrss)
		return false;
	if (is_newer("gmon.out") || is_newer("mon.out"))
		return true;
	if (!prefix || strlen(prefix) >= sizeof(name))
		return false;
	strcpy(name, prefix);
	slash = strrchr(name, '/');
	if (!slash)
		return is_newer(".");
	slash[slash == name] = '\0';
	return is_newer(name);
}

static bool children_go_on(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void say_unused(void)
{
	int saved = errno;
	int cancel;

	if (!wanted || __atomic_load_n(&profil_asked, __ATOMIC_RELAXED))
		return;
	/* Not for the child of vfork(), which has all this memory. */
	if (getpid() == self) {
		cancel = profil_cancel_disable();
		wanted = false;
		if (!children_go_on() && !child_has_profile())
			profil_report("%s was not profiled: compile and link it with gcc -pg, or set PROFIL_DSO=1 to have it sampled as it is, or call profil(); see libprofil(7)",
				      program_invocation_short_name);
		profil_cancel_restore(cancel);
	}
	errno = saved;
}

/* Where threads go on, this may be the end of the first one only. */
static void thread_ends(void *arg)
{
	(void)arg;
	if (__libc_single_threaded)
		say_unused();
}

static __attribute__((destructor)) void program_ends(void)
{
	say_unused();
}

static void unused_forked(void)
{
	wanted = false;
}

static bool parent_has_library(void)
{
	char name[40];

	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)getppid());
	return profil_file_has(name, "/libprofil");
}

/*
 * Many programs close standard error in an exit handler: the destructors of the
 * thread come before these, the destructor of this library after them.
 */
static __attribute__((constructor)) void begin_program(void)
{
	const char *preload = secure_getenv("LD_PRELOAD");
	int saved = errno;

	if (!preload || !strstr(preload, "libprofil") ||
	    getauxval(AT_SECURE) || parent_has_library()) {
		errno = saved;
		return;
	}
	self = getpid();
	clock_gettime(CLOCK_REALTIME_COARSE, &begin);
	wanted = pthread_atfork(NULL, NULL, unused_forked) == 0;
	if (__cxa_thread_atexit_impl && &__libc_single_threaded)
		__cxa_thread_atexit_impl(thread_ends, NULL, &__dso_handle);
	errno = saved;
}

/* Looked up at the start, because handlers and children of vfork() call them. */
static void *next_exit, *next_Exit, *next_prctl;

static __attribute__((constructor(101))) void find_end_calls(void)
{
	profil_next("_exit", &next_exit);
	profil_next("_Exit", &next_Exit);
	profil_next("prctl", &next_prctl);
}

/* A sandbox may refuse exit_group() and let a thread end. */
static __attribute__((noreturn)) void end_now(void *found, int status)
{
	void (*next)(int status) = found;

	say_unused();
	if (next)
		next(status);
	syscall(SYS_exit_group, status);
	for (;;)
		syscall(SYS_exit, status);
}

/* Shells end by this call, which runs no destructor. */
EXPORT void _exit(int status)
{
	end_now(next_exit, status);
}

EXPORT void _Exit(int status)
{
	end_now(next_Exit, status);
}

/* To know of a sandbox without a system call that it might forbid. */
EXPORT int prctl(int option, ...)
{
	int (*next)(int option, ...) = next_prctl;
	unsigned long arg[4];
	va_list args;
	int i;

	va_start(args, option);
	for (i = 0; i < 4; i++)
		arg[i] = va_arg(args, unsigned long);
	va_end(args);
	if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
		wanted = false;
	if (option == PR_SET_SECCOMP)
		__atomic_store_n(&profil_confined, true, __ATOMIC_RELAXED);
	if (next)
		return next(option, arg[0], arg[1], arg[2], arg[3]);
	return (int)syscall(SYS_prctl, option, arg[0], arg[1], arg[2], arg[3]);
}
