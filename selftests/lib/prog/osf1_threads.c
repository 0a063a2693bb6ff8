// SPDX-License-Identifier: GPL-2.0-only
/*
 * OSF/1's promises about threads: the counts are the sum over all of them, and
 * two threads can be profiled by different forms at the same time.  For
 * /dev/profil.
 */
#define _OSF_SOURCE
#include <profil.h>
#include <pthread.h>

#include "page.h"
#include "points.h"

#define BINS	2048

static unsigned short shorts[BINS], mine[BINS];
static unsigned int ints[BINS];
static const struct counters of_shorts = { shorts, sizeof(shorts), 2 };
static const struct counters of_mine = { mine, sizeof(mine), 2 };
static const struct counters of_ints = { ints, sizeof(ints), 4 };
static pthread_barrier_t barrier;
static bool classic_grew, extended_grew;

static void both(void)
{
	pthread_barrier_wait(&barrier);
}

static void *by_classic(void *arg)
{
	profil_thread(mine, sizeof(mine), first, 0x10000);
	both();
	classic_grew = grows(&of_mine, first);
	both();
	profil_thread(0, 0, 0, 0);
	both();
	return arg;
}

static void *by_extended(void *arg)
{
	struct profil_args args = {
		.buffer = ints,
		.lowpc = (void *)TEXT(second),
		.highpc = (void *)TEXT(after),
		.offset = (void *)TEXT(second),
		.scale = 0x10000,
	};

	profil_thread(&args, 1, -1, 0);
	both();
	extended_grew = grows(&of_ints, second);
	both();
	both();
	/* The other one has ended its own, and only that. */
	extended_grew = extended_grew && grows(&of_ints, second);
	return arg;
}

/* The process's own profile is on as well, and has neither of their samples. */
static void test_two_forms(void)
{
	unsigned long bins = (TEXT(second) - TEXT(first)) / 2;
	pthread_t threads[2];

	profil(shorts, sizeof(shorts), first, 0x10000);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&threads[0], NULL, by_classic, NULL);
	pthread_create(&threads[1], NULL, by_extended, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	result(classic_grew && sum(&of_mine, bins) == 0,
	       "one thread by the classic form, with its samples alone");
	result(extended_grew, "another by the extended one at the same time");
	result(!sum(&of_shorts, 0), "the process's profile has none of these");
	result(grows(&of_shorts, first),
	       "and still samples a thread without one");
	result(still(&of_mine, first) && still(&of_ints, second),
	       "a thread's profile is not that of others");
}

static void *work(void *arg)
{
	burn(first);
	return arg;
}

static void test_sum(void)
{
	unsigned int i;

	memset(shorts, 0, sizeof(shorts));
	for (i = 0; i < 3; i++) {
		double before = sum(&of_shorts, 0);
		pthread_t thread;

		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
		if (sum(&of_shorts, 0) == before)
			break;
	}
	result(i == 3, "every thread's samples are in the sum");
	profil_thread(0, 0, 0, 0);
	result(grows(&of_shorts, first),
	       "ending a thread's profile leaves the process's on");
	profil_thread(mine, sizeof(mine), first, 0x10000);
	profil(0, 0, 0, 0);
	result(grows(&of_mine, first) && still(&of_shorts, first),
	       "ending the process's leaves the thread's on");
	profil_thread(mine, sizeof(mine), first, 1);
	result(still(&of_mine, first), "and scale 1 ends that");
}

int main(void)
{
	test_two_forms();
	test_sum();
	return finish();
}
