// SPDX-License-Identifier: GPL-2.0-only
/* Two functions that take half of the time each, ROUNDS in 1,000 the first. */
#include <stdint.h>
#include <stdlib.h>

#ifndef ROUNDS
#define ROUNDS	1000
#endif

static volatile uint64_t sink;

__attribute__((noinline)) static void changed(unsigned int rounds)
{
	while (rounds--)
		sink = sink * 6364136223846793005ull + 1;
}

__attribute__((noinline)) static void kept(unsigned int rounds)
{
	while (rounds--)
		sink = sink * 6364136223846793005ull + 2;
}

int main(int argc, char **argv)
{
	unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;

	while (times--) {
		changed(ROUNDS);
		kept(1000);
	}
	return 0;
}
