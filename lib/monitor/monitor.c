// SPDX-License-Identifier: MIT
/*
 * 4.3BSD's monitor(): a profile in the caller's buffer, and its mon.out.
 *
 * The buffer has the page's three parts: a header, the counts of calls, the
 * histogram.  Calls are counted in memory of the library's own, and brought to
 * the buffer when the profile ends.  A thread may be counting one while
 * monitor(0) returns, and then the buffer is the caller's again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dso/dso.h"
#include "monitor/monitor.h"
#include "pg/lock.h"
#include "out.h"

/* Far beyond any process, and small enough for scale times either. */
#define BYTES_MAX	(1ull << 47)

struct header {
	uintptr_t lowpc, highpc;
	uintptr_t ncnt;
};

static struct {
	bool set;		/* monitor() was called, monitor(0) was not */
	bool on;		/* and counts */
	pid_t pid;		/* of the process that called it */
	unsigned int hz;	/* of all samples in the buffer; 0: there are none */
	uintptr_t low, high;
	struct header *header;	/* in the buffer */
	struct profil_call *calls;
	size_t nfunc;
	uintptr_t bias;
	struct profil_region region;
	const struct profil_arcs *arcs;
} mon;

/*
 * Never wiped; the lock, and the losses of the table of calls.  The lock guards
 * mon and the table, and is taken before gmon.c's.  The loader is not waited
 * for under it, because a handler may want it in a thread that has the loader.
 */
static struct profil_wiped state;

/*
 * The table stays for good, and so do its keys: a call that is being counted
 * while a profile begins counts for its own function then.
 */
static const struct profil_arcs *calls_table(const struct profil_text *text)
{
	static struct profil_arcs *table;
	uintptr_t size = text->high - text->low < UINT32_MAX ?
			 text->high - text->low : UINT32_MAX;
	uint32_t slots = profil_arcs_slots(size);
	struct profil_arcs *arcs = table;
	uint32_t slot;

	if (arcs && arcs->low == text->low && arcs->size == size) {
		for (slot = 0; slot < slots; slot++) {
			arcs->slots[slot].count[0] = 0;
			arcs->slots[slot].count[1] = 0;
		}
		arcs->wide = profil_dso_wide();
		return arcs;
	}
	arcs = mmap(NULL, sizeof(*arcs) + slots * sizeof(struct profil_arc),
		    PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arcs == MAP_FAILED)
		return NULL;
	*arcs = (struct profil_arcs){
		.low = text->low,
		.size = size,
		.slots = (struct profil_arc *)(arcs + 1),
		.wiped = &state,
		.mask = slots - 1,
		.by_function = 1,
		.wide = profil_dso_wide(),
	};
	table = arcs;
	return arcs;
}

static void mon_pause_locked(void)
{
	profil_gmon_lend(NULL);
	if (profil_regions_stop() != 0 && profil_device_is_on())
		profil_report("monitor()'s buffer is still counted in: %s; keep it",
			      profil_error(errno));
	mon.on = false;
}

static void mon_resume_locked(void)
{
	profil_backend_tell(profil_regions_start(&mon.region, 1),
			    "no samples, only calls");
	if (!profil_hz_is_still(mon.hz))
		profil_regions_stop();
	else
		mon.hz = profil_hz();
	profil_gmon_lend(mon.arcs);
	mon.on = true;
}

static void drop_locked(void)
{
	if (mon.on)
		mon_pause_locked();
	mon.set = false;
}

/*
 * A thread that the child does not have may have held the lock; libc's timer
 * has ended there.
 */
static void mon_forked(void)
{
	int saved = errno;

	state.locked = 0;
	if (mon.set && mon.on && profil_backend() == PROFIL_BACKEND_LIBC)
		profil_regions_start(&mon.region, 1);
	errno = saved;
}

/* Where the three parts are; false if the buffer has no room for them. */
static bool lay_out(void *buffer, size_t bufsize, size_t nfunc)
{
	uint64_t start = ((uintptr_t)buffer + sizeof(uintptr_t) - 1) &
			 -(uint64_t)sizeof(uintptr_t);
	uint64_t range = mon.high - mon.low;
	uint64_t shorts = bufsize;
	uint64_t end, hist, scale;

	if (!buffer || shorts > BYTES_MAX / 2 || nfunc > shorts)
		return false;
	/* Whole bins, also where the buffer begins at an odd address. */
	end = ((uintptr_t)buffer + shorts * 2) & ~1ull;
	hist = start + sizeof(struct header) +
	       (uint64_t)nfunc * sizeof(struct profil_call);
	if (hist >= end)
		return false;
	scale = end - hist < range ? (end - hist) * 65536 / range : 65536;
	if (end - hist < 2 || !scale)
		return false;
	mon.header = (struct header *)(uintptr_t)start;
	mon.calls = (struct profil_call *)(mon.header + 1);
	mon.nfunc = nfunc;
	mon.region = (struct profil_region){
		.base = hist,
		.size = ((range - 1) * scale / 65536 / 2 + 1) * 2,
		.offset = mon.low,
		.scale = (uint32_t)scale,
		.width = 2,
	};
	return true;
}

/* All that may wait for the loader, before the lock. */
static struct profil_text ask_loader(uintptr_t *low, uintptr_t high)
{
	static bool handled;
	struct profil_text text;

	profil_backend();
	*low = profil_text_low(*low, high);
	/* Text that no object has, as a compiler at run time makes it. */
	if (!profil_text_find(high - 1, &text))
		text = (struct profil_text){ .low = *low, .high = high };
	if (!handled)
		handled = pthread_atfork(NULL, NULL, mon_forked) == 0;
	return text;
}

static void begin_locked(uintptr_t low, uintptr_t high,
			 const struct profil_text *text, void *buffer,
			 size_t bufsize, size_t nfunc)
{
	uint64_t bytes = (uint64_t)bufsize * 2;
	uint64_t range = high - low;

	if (high <= low || range > BYTES_MAX) {
		profil_report("monitor: no profile: text from %#lx to %#lx",
			      (unsigned long)low, (unsigned long)high);
		return;
	}
	mon.low = low;
	mon.high = high;
	if (!lay_out(buffer, bufsize, nfunc)) {
		profil_report("monitor: no profile: %zu shorts have no room for %zu functions and a histogram",
			      bufsize, nfunc);
		return;
	}
	if (!profil_writable((uintptr_t)buffer, bytes)) {
		profil_report("monitor: no profile: the buffer is no memory to write to");
		return;
	}
	mon.bias = text->bias;
	mon.arcs = nfunc ? calls_table(text) : NULL;
	if (nfunc && !mon.arcs)
		profil_report("monitor: no calls are counted: %s",
			      profil_error(errno));
	memset(buffer, 0, (size_t)bytes);
	*mon.header = (struct header){ low, high, nfunc };
	mon.pid = getpid();
	mon.hz = 0;
	mon_resume_locked();
	mon.set = true;
}

static void report_calls(size_t called)
{
	if (called > mon.nfunc)
		profil_report("monitor: too many functions: %zu were called, %zu have room: their calls, and all the time, are in mon.out",
			      called, mon.nfunc);
}

static void end_locked(void)
{
	struct profil_mon file = {
		.low = mon.low,
		.high = mon.high,
		.bias = mon.bias,
		.calls = mon.calls,
		.hist = (const void *)(uintptr_t)mon.region.base,
		.bins = (size_t)mon.region.size / 2,
		.scale = mon.region.scale,
		.width = 2,
		.hz = mon.hz,
		.original = mon.pid == getpid(),
	};
	uint64_t first = (uintptr_t)mon.header;
	bool was_on = mon.on;
	size_t called;
	char name[64];

	drop_locked();
	if (was_on)
		profil_report_books();
	if (!profil_writable(first, mon.region.base + mon.region.size -
				    first)) {
		profil_report_lost("no profile written: monitor()'s buffer was unmapped; keep it until monitor(0)");
		return;
	}
	if (mon.arcs) {
		file.nr_calls = profil_calls_collect(mon.arcs, mon.calls,
						     mon.nfunc, &called);
		report_calls(called);
	}
	if (profil_mon_write(&file, name, sizeof(name)) != 0)
		profil_out_report(name, errno);
}

EXPORT void profil_monitor(unsigned long lowpc, unsigned long highpc,
			   void *buffer, size_t bufsize, size_t nfunc)
{
	int saved = errno;
	struct profil_blocked old;
	struct profil_text text;
	uintptr_t low = lowpc;

	/* Nothing is to be written with another's rights. */
	if (getauxval(AT_SECURE))
		return;
	__atomic_store_n(&profil_asked, true, __ATOMIC_RELAXED);
	if (lowpc)
		text = ask_loader(&low, highpc);
	lock_wiped(&state, &old);
	if (lowpc) {
		drop_locked();
		/* What monstartup() has on. */
		profil_gmon_lend(NULL);
		profil_regions_stop();
		begin_locked(low, highpc, &text, buffer, bufsize, nfunc);
	} else if (mon.set) {
		end_locked();
	} else {
		profil_gmon_to_mon();
	}
	unlock_wiped(&state, &old);
	errno = saved;
}

bool profil_monitor_control(int mode)
{
	struct profil_blocked old;
	bool set;

	lock_wiped(&state, &old);
	set = mon.set;
	if (set && mode && !mon.on)
		mon_resume_locked();
	else if (set && !mode && mon.on)
		mon_pause_locked();
	unlock_wiped(&state, &old);
	return set;
}

void profil_monitor_drop(void)
{
	struct profil_blocked old;

	lock_wiped(&state, &old);
	drop_locked();
	unlock_wiped(&state, &old);
}

/* The page: the file is written whatever moncontrol() was last told. */
static void __attribute__((destructor)) at_exit(void)
{
	int saved = errno;
	struct profil_blocked old;

	/* A program in a sandbox may be killed for one system call more. */
	if (!mon.set)
		return;
	lock_wiped(&state, &old);
	if (mon.set)
		end_locked();
	unlock_wiped(&state, &old);
	errno = saved;
}
