// SPDX-License-Identifier: GPL-2.0-only
/* The arcs of all objects, in a table that grows, and calls that are kept. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "unit.h"

static struct profil_wide *wide;

static void *count_wide(void *arg)
{
	uintptr_t i;

	for (i = 0; i < CALLS; i++)
		profil_wide_count(wide, i % 300, LOW + i % 7);
	return arg;
}

static uint64_t wide_take_all(void)
{
	uint32_t used = profil_wide_used(wide);
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < used; i++)
		sum += profil_wide_take(wide, i);
	return sum;
}

static void test_wide(void)
{
	pthread_t threads[THREADS];
	uint64_t taken = 0;
	uint32_t lost = 0;
	uintptr_t i;

	wide = profil_wide_alloc();
	if (!wide)
		abort();
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count_wide, NULL);
	for (i = 0; i < 100; i++)
		taken += wide_take_all();
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	tested(taken + wide_take_all() == THREADS * CALLS,
	       "wide arcs: eight threads, and one that takes: no call lost");
	tested(profil_wide_used(wide) < 300 * 7 * THREADS,
	       "wide arcs: an entry an arc, but for races");
	for (i = 0; i < PROFIL_WIDE_MAX; i++)
		lost += !profil_wide_count(wide, i, ~i);
	tested(lost && wide_take_all() + lost == PROFIL_WIDE_MAX,
	       "wide arcs: a full table loses what has no entry");
	tested(profil_wide_used(wide) == PROFIL_WIDE_MAX,
	       "wide arcs: all of it is used");
}

#define ARCS	50000u

/* Each arc by every thread: chunks are mapped while others look. */
static void *count_growing(void *arg)
{
	uintptr_t i;

	for (i = 0; i < ARCS; i++)
		profil_wide_count(wide, LOW + i, LOW + i / 7);
	return arg;
}

static void test_growing(void)
{
	static uint32_t calls[ARCS];
	pthread_t threads[THREADS];
	uint32_t i, bad = 0;

	wide = profil_wide_alloc();
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count_growing, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < profil_wide_used(wide); i++)
		calls[profil_wide_from(wide, i) - LOW] +=
			(uint32_t)profil_wide_take(wide, i);
	for (i = 0; i < ARCS; i++)
		bad += calls[i] != THREADS;
	tested(!bad && !profil_wide_stuck(wide),
	       "wide arcs: eight threads, no call lost as the room grows");
}

static void test_kept(void)
{
	struct profil_kept *kept = NULL;
	bool good = true;
	uint64_t sum = 0;
	uintptr_t i;

	for (i = 0; i < 5000; i++)
		good &= !profil_kept_add(&kept, i % 1000, i % 500, i);
	for (i = 0; i <= kept->mask; i++)
		sum += kept->slots[i].calls;
	tested(good && sum == 5000 * 4999 / 2 && *kept->used == 1000,
	       "kept calls: a table that grows keeps them");
	profil_kept_forget(kept);
	tested(!*kept->used && !profil_kept_add(&kept, 1, 2, 3) &&
	       *kept->used == 1, "kept calls: forgotten");
}

void test_wide_arcs(void)
{
	test_wide();
	test_growing();
	test_kept();
}
