// SPDX-License-Identifier: GPL-2.0-only
/* The arcs of one text: under threads, in a full table, beyond 32 bits. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "unit.h"

static struct profil_wiped wiped;
static struct profil_arc slots[8192];
struct profil_arcs unit_arcs = {
	.low = LOW, .size = 0x10000, .slots = slots, .wiped = &wiped,
};

void unit_arcs_reset(uint32_t nr)
{
	memset(slots, 0, sizeof(slots));
	memset(&wiped, 0, sizeof(wiped));
	unit_arcs.mask = nr - 1;
	profil_arcs_on = &unit_arcs;
}

static uint64_t arcs_sum(void)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i <= unit_arcs.mask; i++)
		sum += profil_arc_calls(&slots[i]);
	return sum;
}

static void *count_many(void *arg)
{
	uintptr_t i;

	for (i = 0; i < CALLS; i++)
		profil_arc_count(LOW + 1 + i % 300, LOW + 0x800 + i % 7);
	return arg;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	int i;

	unit_arcs_reset(8192);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count_many, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	tested(arcs_sum() == THREADS * CALLS && !wiped.calls_lost,
	       "arcs: eight threads, no call lost");
}

static void test_full(void)
{
	uintptr_t i;

	unit_arcs_reset(64);
	for (i = 0; i < 1000; i++)
		profil_arc_count(LOW + 1 + i, LOW + 0x800);
	tested(arcs_sum() == 64 && wiped.calls_lost == 936,
	       "arcs: a full table loses what has no slot, and says how many");
	for (i = 0; i < 64; i++)
		profil_arc_count(LOW + 1 + i, LOW + 0x800);
	tested(wiped.calls_lost + arcs_sum() == 1064,
	       "arcs: a full table still counts what has one");
}

static void test_outside(void)
{
	unit_arcs_reset(64);
	profil_arc_count(LOW - 1, LOW + 5);
	profil_arc_count(LOW + 5, LOW - 1);
	profil_arc_count(LOW + 0x10001, LOW + 5);
	profil_arc_count((uintptr_t)-1, 0);
	tested(!arcs_sum() && !wiped.calls_lost, "arcs: not from other text");
	profil_arcs_on = NULL;
	profil_arc_count(LOW + 5, LOW + 5);
	tested(!arcs_sum(), "arcs: nothing is counted while off");
}

static void test_carry(void)
{
	unit_arcs_reset(64);
	profil_arc_count(LOW + 5, LOW + 9);
	for (uint32_t i = 0; i <= unit_arcs.mask; i++)
		if (slots[i].key)
			slots[i].count[0] = UINT32_MAX;
	profil_arc_count(LOW + 5, LOW + 9);
	tested(arcs_sum() == (uint64_t)UINT32_MAX + 1,
	       "arcs: a count goes on beyond 32 bits");
}

void test_arcs(void)
{
	test_threads();
	test_full();
	test_outside();
	test_carry();
}
