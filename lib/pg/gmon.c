// SPDX-License-Identifier: MIT
/*
 * The run-time that gcc -pg programs call: where the counters are, and when
 * they count.
 *
 * Histogram and arcs lie in memory that fork hands to a child as zeroes
 * (MADV_WIPEONFORK).  So a child counts its own from its first tick and its
 * first call on.  What is under the lock is done with signals
 * blocked, and the lock itself is in that memory: a handler may call
 * moncontrol, and a child finds it free.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "dso/dso.h"
#include "pg/lock.h"
#include "out.h"

/*
 * gprof sees text in units of 2 bytes, and functions need not be aligned: with
 * a bin a unit, no two functions share one.  Large programs get the C library's 4.
 */
#define BIN_TEXT_FINE	2
#define BIN_TEXT	4
#define TEXT_FINE_MAX	(8ul << 20)

static struct profil_gmon *gmon;

static bool is_on(void)
{
	return gmon && gmon->on;
}

void profil_gmon_bins_set(struct profil_gmon *g, unsigned int bin_text,
			  unsigned int width)
{
	g->bin_text = bin_text;
	g->width = width;
	g->low &= -(uintptr_t)bin_text;
	g->high = (g->high + bin_text - 1) & -(uintptr_t)bin_text;
}

static unsigned int finest(const struct profil_gmon *g)
{
	return g->arcs.size <= TEXT_FINE_MAX ? BIN_TEXT_FINE : BIN_TEXT;
}

void profil_gmon_bins_finest(struct profil_gmon *g)
{
	profil_gmon_bins_set(g, finest(g), profil_width_known(4) ? 4 : 2);
}

struct profil_region profil_gmon_region(const struct profil_gmon *g)
{
	return (struct profil_region){
		.base = (uintptr_t)g->hist,
		.size = (uint64_t)profil_gmon_bins(g) * g->width,
		.offset = g->low,
		.scale = 65536 / g->bin_text * g->width,
		.width = g->width,
	};
}

/* The kernel pins the histogram: where little may be, bins get coarser. */
static int start_kernel(struct profil_gmon *g)
{
	unsigned int fine = finest(g);
	struct profil_region region;
	char why[512];

	profil_gmon_bins_finest(g);
	for (;;) {
		region = profil_gmon_region(g);
		if (profil_device_set(&region, 1, 0) == 0)
			break;
		/* It can't have less than a page. */
		if (errno != ENOMEM || region.size <= profil_page_size() ||
		    g->bin_text == BIN_TEXT_MAX)
			return -1;
		profil_gmon_bins_set(g, g->bin_text * 2, g->width);
	}
	if (g->bin_text > BIN_TEXT) {
		profil_why_memlock(why, sizeof(why), profil_device_wanted());
		profil_report("a bin has %u bytes of text, not %u: %s",
			      g->bin_text, fine, why);
	}
	return 0;
}

static void start_first(struct profil_gmon *g)
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
		profil_gmon_bins_set(g, finest(g), 2);
		region = profil_gmon_region(g);
		ret = profil_dso_sample(&region);
	}
	profil_backend_tell(ret, "no samples, only calls");
	g->hz = profil_tick_hz();
}

/* Not from monitor(), which has them before it gives them back. */
static void count_calls(struct profil_gmon *g)
{
	const struct profil_arcs *none = NULL;

	g->on = true;
	__atomic_compare_exchange_n(&profil_arcs_on, &none, &g->arcs, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void profil_gmon_lend(const struct profil_arcs *arcs)
{
	struct profil_gmon *g = __atomic_load_n(&gmon, __ATOMIC_ACQUIRE);

	/* moncontrol() will find it off. */
	if (g && !profil_dso_on())
		g->on = false;
	if (!arcs && is_on())
		arcs = &g->arcs;
	__atomic_store_n(&profil_arcs_on, arcs, __ATOMIC_RELEASE);
}

/* libc's timer does not live on in a child, as the kernel's profile does. */
static void forked_child(void)
{
	struct profil_region region;

	profil_dso_forked();
	if (!is_on() || profil_backend() != PROFIL_BACKEND_LIBC)
		return;
	region = profil_gmon_region(gmon);
	profil_dso_sample(&region);
}

/*
 * One page that stays, with the struct; then, wiped at fork, one page of
 * state, the arcs and the histogram.
 */
static struct profil_gmon *gmon_alloc(uintptr_t low, uintptr_t high,
				      struct profil_wide *wide)
{
	size_t page = profil_page_size();
	uint32_t slots = wide ? page / sizeof(struct profil_arc) :
				profil_arcs_slots(high - low);
	size_t arcs = slots * sizeof(struct profil_arc);
	/* 32 bits a unit of 2 bytes; coarser bins may add one at either end. */
	uint64_t hist = (uint64_t)(high - low) * 2 + 4 * page;
	uint64_t size = page + arcs + (hist & -(uint64_t)page);
	struct profil_gmon *g;
	char *map;

	if (size > SIZE_MAX - 2 * page) {
		errno = ENOMEM;
		return NULL;
	}
	map = profil_map(page, (size_t)size);
	if (!map)
		return NULL;
	g = (struct profil_gmon *)map;
	g->low = low;
	g->high = high;
	g->hist = map + 2 * page + arcs;
	g->arcs.low = low;
	g->arcs.size = high - low;
	g->arcs.mask = slots - 1;
	g->arcs.wiped = (struct profil_wiped *)(map + page);
	g->arcs.slots = (struct profil_arc *)(map + 2 * page);
	g->arcs.wiped->original = 1;
	g->arcs.wide = wide;
	return g;
}

/*
 * A second call starts afresh.  The memory of the first stays: a call that is
 * being counted may still go there.
 */
void profil_gmon_begin(uintptr_t low, uintptr_t high, bool by_program)
{
	static bool handled;
	struct profil_region region;
	struct profil_text text;
	struct profil_gmon *g;

	/* Nothing is to be written with another's rights. */
	if (getauxval(AT_SECURE))
		return;
	low = profil_text_low(low, high) & -(uintptr_t)BIN_TEXT;
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
	g = gmon_alloc(low, high, profil_dso_begin(by_program));
	if (!g) {
		profil_report_lost("no profile written: no %zu KiB of memory for it: %s; raise RLIMIT_AS (ulimit -v)",
				   (size_t)(high - low) / 1024 * 2,
				   profil_error(errno));
		return;
	}
	if (profil_text_find(low, &text))
		g->bias = text.bias;
	if (!handled)
		handled = pthread_atfork(NULL, NULL, forked_child) == 0;
	profil_on_signal(_mcleanup);
	__atomic_store_n(&gmon, g, __ATOMIC_RELEASE);
	start_first(g);
	region = profil_gmon_region(g);
	profil_gmonbsd_start(g, &region);
	count_calls(g);
	if (g->arcs.wide)
		profil_dso_look(true);
}

EXPORT void __monstartup(unsigned long low, unsigned long high);
void __monstartup(unsigned long low, unsigned long high)
{
	profil_gmon_begin(low, high, true);
}

/* In brackets: the header has macros of this name. */
EXPORT void (monstartup)(unsigned long low, unsigned long high)
	ALIAS(__monstartup);

static void pause_locked(struct profil_gmon *g)
{
	const struct profil_arcs *mine = &g->arcs;

	g->on = false;
	__atomic_compare_exchange_n(&profil_arcs_on, &mine, NULL, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	profil_dso_pause(profil_dso_by_program());
}

bool profil_gmon_begun(void)
{
	return __atomic_load_n(&gmon, __ATOMIC_ACQUIRE);
}

static void sample(const struct profil_gmon *g)
{
	struct profil_region region = profil_gmon_region(g);

	profil_backend_tell(profil_dso_sample(&region),
			    "no samples, only calls");
}

static void resume_locked(struct profil_gmon *g)
{
	sample(g);
	count_calls(g);
}

EXPORT void moncontrol(int mode)
{
	struct profil_gmon *g = __atomic_load_n(&gmon, __ATOMIC_ACQUIRE);
	int saved = errno;
	sigset_t old;

	if (profil_monitor_control(mode) || !g)
		return;
	lock(g->arcs.wiped, &old);
	if (mode && !is_on())
		resume_locked(g);
	else if (!mode && is_on())
		pause_locked(g);
	unlock(g->arcs.wiped, &old);
	/* This may be a signal handler. */
	errno = saved;
}

void profil_gmon_update(bool (*change)(struct profil_gmon *g))
{
	struct profil_gmon *g = __atomic_load_n(&gmon, __ATOMIC_ACQUIRE);
	sigset_t old;

	if (!g)
		return;
	lock(g->arcs.wiped, &old);
	if (change(g) && is_on())
		sample(g);
	unlock(g->arcs.wiped, &old);
}

bool profil_gmon_locked(void (*call)(const struct profil_gmon *on, void *arg),
			void *arg)
{
	struct profil_gmon *g = __atomic_load_n(&gmon, __ATOMIC_ACQUIRE);
	sigset_t old;

	if (!g)
		return false;
	lock(g->arcs.wiped, &old);
	call(is_on() ? g : NULL, arg);
	unlock(g->arcs.wiped, &old);
	return true;
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
	if (!is_on())
		return;
	pause_locked(g);
	report_losses(g);
}

typedef int write_fn(const struct profil_gmon *gmon, char *name, size_t size);

/* The name is not on what may be a small stack. */
static void save(const struct profil_gmon *g, write_fn *write_file)
{
	static char name[PATH_MAX];

	if (write_file(g, name, sizeof(name)) != 0)
		profil_out_report(name, errno);
}

void profil_gmon_save(const struct profil_gmon *g)
{
	save(g, profil_gmon_write);
}

EXPORT void _mcleanup(void)
{
	struct profil_gmon *g = __atomic_load_n(&gmon, __ATOMIC_ACQUIRE);
	int saved = errno;
	sigset_t old;

	if (!g || profil_gmonbsd_finish(g))
		return;
	profil_dso_catch_up();
	lock(g->arcs.wiped, &old);
	stop_locked(g);
	if (profil_dso_on())
		profil_dso_write(g);
	else
		profil_gmon_save(g);
	unlock(g->arcs.wiped, &old);
	errno = saved;
}

void profil_gmon_to_mon(void)
{
	struct profil_gmon *g = __atomic_load_n(&gmon, __ATOMIC_ACQUIRE);
	int saved = errno;
	sigset_t old;

	if (!g)
		return;
	lock(g->arcs.wiped, &old);
	stop_locked(g);
	if (g->arcs.wide)
		profil_report("mon.out has no calls: with shared objects they are kept for gmon.out");
	save(g, profil_gmon_write_mon);
	unlock(g->arcs.wiped, &old);
	errno = saved;
}
