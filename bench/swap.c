// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of PROFIL_IOC_SWAP, which clears the half that was quiet.
 *
 *	swap TICKS TIMES
 *
 * A program that is observed 10,000 times a second works for TICKS before each
 * swap.  Prints, TIMES times, how many nodes were cleared, and instructions.
 */
#include <unistd.h>

#include "observer.h"

static void work_for(uint64_t ticks)
{
	uint64_t end = now() + ticks * TICK;
	int i;

	while (now() < end)
		for (i = 0; i < NR_FUNCTIONS; i++)
			work(i);
}

int main(int argc, char **argv)
{
	uint64_t then, ticks;
	struct observer observer;
	struct profil_half *half;
	int times, i;
	uint32_t nodes;

	if (argc != 3) {
		fputs("usage: swap TICKS TIMES\n", stderr);
		return 2;
	}
	ticks = strtoul(argv[1], NULL, 0);
	times = atoi(argv[2]);
	observer_open(&observer, 10000, 1);
	observer_join(&observer);
	/* The first calls fault pages in. */
	for (i = 0; i < 4; i++) {
		work_for(ticks);
		half = observer_swap(&observer);
	}
	for (i = 0; i < times; i++) {
		work_for(ticks);
		nodes = half->nr_nodes;
		then = now();
		half = observer_swap(&observer);
		printf("%u %lu\n", nodes, now() - then);
	}
	return 0;
}
