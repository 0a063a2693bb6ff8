// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions at 3 to 1, for so many milliseconds of CPU time.  With "fork"
 * children do it, with "threads" threads, with "kill" it ends by SIGKILL, with
 * "stop" it stops before its end.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

__attribute__((noinline)) static void heavy(unsigned int rounds)
{
	while (rounds--)
		sink = sink * 6364136223846793005ull + 1;
}

__attribute__((noinline)) static void light(unsigned int rounds)
{
	while (rounds--)
		sink = sink * 6364136223846793005ull + 2;
}

static void *burn(void *ms)
{
	uint64_t end = cpu_ns() + (uintptr_t)ms * 1000000;

	while (cpu_ns() < end) {
		heavy(300000);
		light(100000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	const char *how = argc > 2 ? argv[2] : "";
	pthread_t threads[2];
	int i;

	if (!strcmp(how, "fork")) {
		for (i = 0; i < 2; i++) {
			if (!fork()) {
				burn((void *)(ms / 2));
				_exit(0);
			}
		}
		while (wait(NULL) > 0)
			;
		return 0;
	}
	if (!strcmp(how, "threads")) {
		for (i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, burn,
				       (void *)(ms / 2));
		for (i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	burn((void *)ms);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "stop"))
		raise(SIGSTOP);
	return 0;
}
