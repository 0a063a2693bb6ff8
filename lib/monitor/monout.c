// SPDX-License-Identifier: MIT
/* The file mon.out: made of what monitor() counted, or the -pg run-time. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "monitor/monfile.h"
#include "monitor/monitor.h"
#include "out.h"

_Static_assert(sizeof(struct profil_monfile) == 64, "no holes in mon.out");
_Static_assert(sizeof(struct profil_moncount) == 16, "no holes in mon.out");

static size_t called_at_least(const struct profil_arcs *arcs, uint64_t calls)
{
	size_t nr = 0;
	uint32_t slot;

	for (slot = 0; slot <= arcs->mask; slot++)
		nr += profil_arc_calls(&arcs->slots[slot]) >= calls;
	return nr;
}

/* Of more than there is room for, those called most are worth keeping. */
static uint64_t fewest_kept(const struct profil_arcs *arcs, size_t room)
{
	uint64_t fewest = 0;
	uint64_t bit;

	for (bit = 1ull << 63; bit; bit >>= 1)
		if (called_at_least(arcs, fewest | bit) > room)
			fewest |= bit;
	return fewest + 1;
}

/* Adds those called as often as said, up to the number that there is room for. */
static size_t collect_calls(const struct profil_arcs *arcs, uint64_t from,
			    uint64_t to, struct profil_call *calls, size_t nr,
			    size_t room)
{
	uint32_t slot;

	for (slot = 0; slot <= arcs->mask && nr < room; slot++) {
		const struct profil_arc *arc = &arcs->slots[slot];
		uint64_t count = profil_arc_calls(arc);

		if (count < from || count > to)
			continue;
		calls[nr++] = (struct profil_call){
			.pc = arcs->low + (uint32_t)arc->key,
			.count = { (uint32_t)count, (uint32_t)(count >> 32) },
		};
	}
	return nr;
}

size_t profil_calls_collect(const struct profil_arcs *arcs,
			    struct profil_call *calls, size_t room,
			    size_t *called)
{
	uint64_t fewest = fewest_kept(arcs, room);
	size_t nr;

	*called = called_at_least(arcs, 1);
	nr = collect_calls(arcs, fewest, UINT64_MAX, calls, 0, room);
	if (fewest > 1)
		nr = collect_calls(arcs, fewest - 1, fewest - 1, calls, nr,
				   room);
	return nr;
}

static void put_calls(struct profil_out *out, const struct profil_mon *mon)
{
	size_t i;

	for (i = 0; i < mon->nr_calls; i++) {
		const struct profil_call *call = &mon->calls[i];
		struct profil_moncount count = {
			.pc = call->pc - mon->bias,
			.calls = (uint64_t)call->count[1] << 32 |
				 call->count[0],
		};

		profil_out_put(out, &count, sizeof(count));
	}
}

int profil_mon_write(const struct profil_mon *mon, char *name, size_t size)
{
	static struct profil_out out;
	struct profil_monfile head = {
		.magic = PROFIL_MONFILE_MAGIC,
		.version = PROFIL_MONFILE_VERSION,
		.word = sizeof(uintptr_t),
		.lowpc = mon->low - mon->bias,
		.highpc = mon->high - mon->bias,
		.ncnt = mon->nr_calls,
		.nbins = mon->bins,
		.scale = mon->scale,
		.width = mon->width,
		.hz = mon->hz,
	};

	if (mon->original)
		snprintf(name, size, "mon.out");
	else
		snprintf(name, size, "mon.out.%ld", (long)getpid());
	if (profil_out_open(&out, name) != 0)
		return -1;
	profil_out_put(&out, &head, sizeof(head));
	put_calls(&out, mon);
	profil_out_put(&out, mon->hist, mon->bins * mon->width);
	return profil_out_close(&out);
}

int profil_gmon_write_mon(const struct profil_gmon *gmon, char *name,
			  size_t size)
{
	size_t called = called_at_least(&gmon->arcs, 1);
	size_t bytes = (called + 1) * sizeof(struct profil_call);
	struct profil_mon mon = {
		.low = gmon->low,
		.high = gmon->high,
		.bias = gmon->bias,
		.hist = gmon->hist,
		.bins = profil_gmon_bins(gmon),
		.scale = 65536 / gmon->bin_text * gmon->width,
		.width = gmon->width,
		.hz = gmon->hz,
		.original = gmon->arcs.wiped->original,
	};
	struct profil_call *calls;
	int ret, error;

	snprintf(name, size, "mon.out");
	calls = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (calls == MAP_FAILED)
		return -1;
	mon.calls = calls;
	mon.nr_calls = profil_calls_collect(&gmon->arcs, calls, called,
					    &called);
	ret = profil_mon_write(&mon, name, size);
	error = errno;
	munmap(calls, bytes);
	errno = error;
	return ret;
}
