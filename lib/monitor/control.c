// SPDX-License-Identifier: MIT
/*
 * The run-time that gcc -pg programs call: when it counts, and when it writes
 * what it has counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>

#include "dso/dso.h"
#include "monitor/monitor.h"
#include "pg/lock.h"
#include "out.h"

/* The kernel pins the histogram: where little may be, bins get coarser. */
static int start_kernel(struct profil_gmon *g)
{
	unsigned int fine = profil_gmon_finest(g);
	struct profil_region region;
	char why[512];

	profil_gmon_bins_finest(g);
	for (;;) {
		region = profil_gmon_region(g);
		if (profil_device_set(&region, 1, 0) == 0)
			break;
		/* It can't have less than a page. */
		if (errno != ENOMEM || region.size <= profil_page_size() ||
		    g->bin_text == PROFIL_BIN_TEXT_MAX)
			return -1;
		profil_gmon_bins_set(g, g->bin_text * 2, g->width);
	}
	if (g->bin_text > PROFIL_BIN_TEXT) {
		profil_why_memlock(why, sizeof(why), profil_device_wanted());
		profil_report("a bin has %u bytes of text, not %u: %s",
			      g->bin_text, fine, why);
	}
	return 0;
}

/* Returns what profil_backend_set() does. */
static int start_first_locked(struct profil_gmon *g)
{
	struct profil_region region;
	int ret = -1;

	errno = ENODEV;
	if (profil_backend() == PROFIL_BACKEND_KERNEL) {
		ret = start_kernel(g);
		if (ret != 0)
			profil_backend_give_up();
	}
	if (ret != 0) {
		profil_gmon_bins_set(g, profil_gmon_finest(g), 2);
		region = profil_gmon_region(g);
		ret = profil_dso_sample(&region);
	}
	/* libc may have taken over, at a rate of its own. */
	g->hz = profil_hz();
	return ret;
}

/* Not from monitor(), which has them before it gives them back. */
static void count_calls_locked(struct profil_gmon *g)
{
	const struct profil_arcs *none = NULL;

	g->on = true;
	__atomic_compare_exchange_n(&profil_arcs_on, &none, &g->arcs, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void profil_gmon_lend(const struct profil_arcs *arcs)
{
	struct profil_gmon *g = profil_gmon_now();

	/* moncontrol() will find it off. */
	if (g && !profil_dso_on())
		g->on = false;
	if (!arcs && profil_gmon_is_on())
		arcs = &g->arcs;
	__atomic_store_n(&profil_arcs_on, arcs, __ATOMIC_RELEASE);
}

/* libc's timer does not live on in a child, as the kernel's profile does. */
static void gmon_forked(void)
{
	struct profil_region region;
	int saved = errno;

	profil_dso_forked();
	if (!profil_gmon_is_on() || profil_backend() != PROFIL_BACKEND_LIBC)
		return;
	region = profil_gmon_region(profil_gmon_now());
	profil_dso_sample(&region);
	errno = saved;
}

/*
 * The profile is published under its lock, with signals blocked, so that a
 * handler meets one that has started.  The backend and the note are known by
 * then, because the search for them may wait for the loader.
 */
static void publish_started(struct profil_gmon *g)
{
	struct profil_region region;
	struct profil_blocked old;
	int ret, error;

	lock_wiped(g->arcs.wiped, &old);
	profil_gmon_publish(g);
	ret = start_first_locked(g);
	error = errno;
	region = profil_gmon_region(g);
	profil_gmonbsd_start(g, &region);
	count_calls_locked(g);
	profil_gmon_unlock(g, &old);
	/* Not with signals blocked: a message waits for its reader. */
	errno = error;
	profil_backend_tell(ret, "no samples, only calls");
}

/*
 * A second call starts afresh.  The memory of the first stays: a call that is
 * being counted may still go there.
 */
void profil_gmon_begin(uintptr_t low, uintptr_t high, bool by_program)
{
	static bool handled;
	struct profil_text text;
	struct profil_gmon *g;

	/* Nothing is to be written with another's rights. */
	if (getauxval(AT_SECURE))
		return;
	low = profil_text_low(low, high) & -(uintptr_t)PROFIL_BIN_TEXT;
	if (high <= low || high > ULONG_MAX - 65536 ||
	    high - low > 0xffff0000u) {
		profil_report_lost("no profile written: text from %#lx to %#lx has no room for one; give monstartup() a range of the program's",
				   (unsigned long)low, (unsigned long)high);
		return;
	}
	if (by_program) {
		profil_monitor_drop();
		moncontrol(0);
	}
	g = profil_gmon_alloc(low, high, profil_dso_begin(by_program));
	if (!g) {
		profil_report_lost("no profile written: no %zu KiB of memory for it: %s; raise RLIMIT_AS (ulimit -v)",
				   (size_t)(high - low) / 1024 * 2,
				   profil_error(errno));
		return;
	}
	if (profil_text_find(low, &text))
		g->bias = text.bias;
	if (!handled)
		handled = pthread_atfork(NULL, NULL, gmon_forked) == 0;
	profil_backend();
	profil_gmonbsd_find_note();
	/* A child that is forked while the profile starts may write its own. */
	profil_gmon_bins_set(g, profil_gmon_finest(g), 2);
	g->hz = profil_hz();
	profil_on_signal(_mcleanup);
	publish_started(g);
	if (g->arcs.wide)
		profil_dso_look(true);
}

static void begin_quietly(unsigned long low, unsigned long high)
{
	int saved = errno;

	profil_gmon_begin(low, high, true);
	errno = saved;
}

/* gcrt1.o calls this name, and has _mcleanup() called at exit. */
static bool ends_by_gcrt1;

EXPORT void __monstartup(unsigned long low, unsigned long high);
void __monstartup(unsigned long low, unsigned long high)
{
	ends_by_gcrt1 = true;
	begin_quietly(low, high);
}

/* In brackets: the header has macros of this name. */
EXPORT void (monstartup)(unsigned long low, unsigned long high)
{
	begin_quietly(low, high);
}

static void gmon_pause_locked(struct profil_gmon *g)
{
	const struct profil_arcs *mine = &g->arcs;

	g->on = false;
	__atomic_compare_exchange_n(&profil_arcs_on, &mine, NULL, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	profil_dso_pause(profil_dso_by_program());
}

static void gmon_resume_locked(struct profil_gmon *g)
{
	profil_dso_sample_gmon(g);
	count_calls_locked(g);
}

EXPORT void moncontrol(int mode)
{
	struct profil_gmon *g;
	int saved = errno;
	struct profil_blocked old;

	if (!profil_monitor_control(mode)) {
		g = profil_gmon_lock(&old);
		if (!g)
			return;
		if (mode && !profil_gmon_is_on())
			gmon_resume_locked(g);
		else if (!mode && profil_gmon_is_on())
			gmon_pause_locked(g);
		if (mode)
			g->written = false;
		profil_gmon_unlock(g, &old);
	}
	/* This may be a signal handler. */
	errno = saved;
}

static void report_losses(const struct profil_gmon *g)
{
	uint32_t calls = __atomic_load_n(&g->arcs.wiped->calls_lost,
					 __ATOMIC_RELAXED);

	if (calls && g->arcs.wide && profil_wide_stuck(g->arcs.wide))
		profil_report("%u calls not counted: no memory for them",
			      calls);
	else if (calls)
		profil_report("%u calls not counted: more than %u different ones",
			      calls, g->arcs.wide ? PROFIL_WIDE_MAX :
						    g->arcs.mask + 1);
	profil_report_books();
}

static void stop_locked(struct profil_gmon *g)
{
	if (!profil_gmon_is_on())
		return;
	gmon_pause_locked(g);
	report_losses(g);
}

EXPORT void _mcleanup(void)
{
	struct profil_gmon *g = profil_gmon_now();
	int saved = errno;
	struct profil_blocked old;

	if (!g)
		return;
	/* No lock here: to block signals is a system call. */
	if (profil_gmonbsd_finish(g)) {
		__atomic_store_n(&g->written, true, __ATOMIC_RELAXED);
		return;
	}
	profil_dso_catch_up();
	g = profil_gmon_lock(&old);
	stop_locked(g);
	if (profil_dso_on())
		profil_dso_write(g);
	else
		profil_gmon_save(g);
	g->written = true;
	profil_gmon_unlock(g, &old);
	errno = saved;
}

/*
 * Behind the program's own destructors, in a static program too.  The C library
 * may call gcrt1.o's _mcleanup() after all destructors: that writes the file
 * then, and this does not.
 */
static void __attribute__((destructor(101))) write_at_exit(void)
{
	const struct profil_gmon *g = profil_gmon_now();

	if (!g || ends_by_gcrt1 || __atomic_load_n(&g->written, __ATOMIC_RELAXED))
		return;
	/* The filter may kill the program for one more system call. */
	if (__atomic_load_n(&profil_confined, __ATOMIC_RELAXED) && !profil_dso_on())
		return;
	_mcleanup();
}

void profil_gmon_to_mon(void)
{
	int saved = errno;
	char name[64];
	struct profil_blocked old;
	struct profil_gmon *g = profil_gmon_lock(&old);

	if (!g)
		return;
	stop_locked(g);
	if (g->arcs.wide)
		profil_report("mon.out has no calls: with shared objects they are kept for gmon.out");
	if (profil_gmon_write_mon(g, name, sizeof(name)) != 0)
		profil_out_report(name, errno);
	profil_gmon_unlock(g, &old);
	errno = saved;
}
