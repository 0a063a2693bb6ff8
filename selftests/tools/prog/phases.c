// SPDX-License-Identifier: GPL-2.0-only
/*
 * Burns in the function that a line of standard input names: "on 300" for 300 ms
 * of CPU time.  Says "done" to standard output when it has, and ends by "quit 7".
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

__attribute__((noinline)) static void burn_on(uint64_t end)
{
	int i;

	while (cpu_ns() < end)
		for (i = 0; i < 200000; i++)
			sink += 1;
}

__attribute__((noinline)) static void burn_off(uint64_t end)
{
	int i;

	while (cpu_ns() < end)
		for (i = 0; i < 200000; i++)
			sink += 2;
}

int main(void)
{
	unsigned int number;
	char what[8];

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (scanf("%7s %u", what, &number) == 2) {
		if (!strcmp(what, "quit"))
			return (int)number;
		if (!strcmp(what, "on"))
			burn_on(cpu_ns() + number * 1000000ull);
		else
			burn_off(cpu_ns() + number * 1000000ull);
		puts("done");
	}
	return 1;
}
