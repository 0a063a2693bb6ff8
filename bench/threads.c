// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lost and misplaced samples.  In each of 20 phases all threads run one
 * function for ten ticks, so that a sample in another function is wrong.  The
 * expected number is the kernel's own count of ticks in user mode.
 *
 *	threads SAMPLER THREADS
 *
 * Prints the ticks, the samples, and how many of these are wrong.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "sampler.h"

static const struct sampler *sampler;
static pthread_barrier_t begin, end;
static volatile int function;
static volatile bool enough;

static void *worker(void *arg)
{
	if (sampler->thread)
		sampler->thread();
	for (;;) {
		pthread_barrier_wait(&begin);
		if (function == NR_FUNCTIONS)
			return arg;
		while (!enough)
			work(function);
		pthread_barrier_wait(&end);
	}
}

static void wait_ticks(int n)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += n * TICK;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
}

/* Ticks in user mode on all CPUs.  The file has them as hundredths. */
static double user_ticks(void)
{
	unsigned long user, nice;
	FILE *file = fopen("/proc/stat", "r");

	if (!file || fscanf(file, "cpu %lu %lu", &user, &nice) != 2)
		die("/proc/stat");
	fclose(file);
	return (user + nice) * HZ / 100.0;
}

int main(int argc, char **argv)
{
	struct counts before, after;
	uint64_t wrong = 0, sum;
	pthread_t *threads;
	double ticks;
	int nr, i, j;

	if (argc != 3) {
		fputs("usage: threads SAMPLER THREADS\n", stderr);
		return 2;
	}
	sampler = sampler_find(argv[1]);
	nr = atoi(argv[2]);
	threads = calloc(nr, sizeof(*threads));
	pthread_barrier_init(&begin, NULL, nr + 1);
	pthread_barrier_init(&end, NULL, nr + 1);
	sampler->start();
	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, worker, NULL))
			die("pthread_create");
	sampler->read(&after);
	sum = counts_sum(&after);
	ticks = user_ticks();
	for (i = 0; i < NR_FUNCTIONS; i++) {
		before = after;
		function = i;
		enough = false;
		pthread_barrier_wait(&begin);
		wait_ticks(10);
		enough = true;
		pthread_barrier_wait(&end);
		sampler->read(&after);
		for (j = 0; j < NR_FUNCTIONS; j++)
			if (j != i)
				wrong += after.in[j] - before.in[j];
	}
	ticks = user_ticks() - ticks;
	sum = counts_sum(&after) - sum;
	function = NR_FUNCTIONS;
	pthread_barrier_wait(&begin);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	sampler->stop();
	printf("%.0f %lu %lu\n", ticks, sum, wrong);
	return 0;
}
