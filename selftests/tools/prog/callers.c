// SPDX-License-Identifier: GPL-2.0-only
/*
 * One function under two callers at 3 to 1, for so many milliseconds of CPU time.
 * With "fork" children do it, with "threads" threads.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

NOINLINE static void burn(unsigned int rounds)
{
	while (rounds--)
		sink = sink * 6364136223846793005ull + 1;
}

NOINLINE static void heavy(void)
{
	burn(300000);
	sink++;
}

NOINLINE static void light(void)
{
	burn(100000);
	sink++;
}

NOINLINE static void *both(void *ms)
{
	uint64_t end = cpu_ns() + (uintptr_t)ms * 1000000;

	while (cpu_ns() < end) {
		heavy();
		light();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	const char *how = argc > 2 ? argv[2] : "";
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++) {
		if (!strcmp(how, "fork") && !fork()) {
			both((void *)(ms / 2));
			_exit(0);
		}
		if (!strcmp(how, "threads") &&
		    pthread_create(&threads[i], NULL, both, (void *)(ms / 2)))
			return 1;
	}
	if (!*how)
		both((void *)ms);
	for (i = 0; i < 2; i++)
		if (!strcmp(how, "threads"))
			pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
