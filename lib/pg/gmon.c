// SPDX-License-Identifier: MIT
/*
 * The profile that monstartup() began: its memory, and its lock.
 *
 * Histogram and arcs lie in memory that fork hands to a child as zeroes
 * (MADV_WIPEONFORK).  So a child counts its own from its first tick and its
 * first call on.
 *
 * The lock guards the profile, its file, the objects of dso.h, and what the
 * backend has on.  It is taken with signals blocked, because a handler may call
 * moncontrol, and a child finds it free, because it lies in that memory.
 * monitor.c's lock and that of a look come before it; the loader is not waited
 * for under it.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "pg/gmon.h"
#include "pg/lock.h"

static struct profil_gmon *gmon;

struct profil_gmon *profil_gmon_now(void)
{
	return __atomic_load_n(&gmon, __ATOMIC_ACQUIRE);
}

bool profil_gmon_is_on(void)
{
	return gmon && gmon->on;
}

void profil_gmon_publish(struct profil_gmon *g)
{
	__atomic_store_n(&gmon, g, __ATOMIC_RELEASE);
}

struct profil_gmon *profil_gmon_lock(struct profil_blocked *old)
{
	struct profil_gmon *g = profil_gmon_now();

	if (g)
		lock_wiped(g->arcs.wiped, old);
	return g;
}

void profil_gmon_unlock(const struct profil_gmon *g,
			const struct profil_blocked *old)
{
	unlock_wiped(g->arcs.wiped, old);
}

/*
 * One page that stays, with the struct; then, wiped at fork, one page of
 * state, the arcs and the histogram.
 */
struct profil_gmon *profil_gmon_alloc(uintptr_t low, uintptr_t high,
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
