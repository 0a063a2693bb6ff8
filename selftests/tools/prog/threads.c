// SPDX-License-Identifier: GPL-2.0-only
/*
 * Three threads named one, two and three, which do one, two and three parts of
 * so many rounds.  Rounds and not time, and each round together, so that a
 * machine that stands still takes of each the same.  In the end each prints its
 * name, its CPU time and how long it waited for a CPU, in nanoseconds, and
 * sleeps, so that it can be looked at.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long rounds;
static volatile uint64_t sink;
static pthread_barrier_t barrier;

static void *burn(void *arg)
{
	static const char *const names[] = { "", "one", "two", "three" };
	uintptr_t nr = (uintptr_t)arg;
	unsigned long round, cpu, wait, i;
	uint64_t x = nr;
	FILE *file;

	pthread_setname_np(pthread_self(), names[nr]);
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < 300000 * nr; i++)
			x = x * 6364136223846793005ull + 1;
		pthread_barrier_wait(&barrier);
	}
	sink += x;
	file = fopen("/proc/thread-self/schedstat", "r");
	if (!file || fscanf(file, "%lu %lu", &cpu, &wait) != 2)
		exit(1);
	fclose(file);
	printf("%s %lu %lu\n", names[nr], cpu, wait);
	sleep(3);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	uintptr_t i;

	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
	pthread_barrier_init(&barrier, NULL, 3);
	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, burn, (void *)(i + 1));
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
