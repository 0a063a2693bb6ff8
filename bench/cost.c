// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a sampler: the instructions of the machine while a program runs
 * for TICKS ticks.
 *
 *	cost SAMPLER TICKS
 *
 * Prints the instructions taken, and the samples.
 */
#include "sampler.h"

int main(int argc, char **argv)
{
	const struct sampler *sampler;
	struct counts before, after;
	uint64_t then, end, rounds;

	if (argc != 3) {
		fputs("usage: cost SAMPLER TICKS\n", stderr);
		return 2;
	}
	sampler = sampler_find(argv[1]);
	rounds = strtoul(argv[2], NULL, 0) * TICK / work_cost(NR_FUNCTIONS - 1);
	sampler->start();
	/* The first samples may allocate memory and fault. */
	for (then = now(); now() - then < 50 * TICK;)
		work(NR_FUNCTIONS - 1);
	sampler->read(&before);
	then = now();
	while (rounds--)
		work(NR_FUNCTIONS - 1);
	end = now();
	sampler->read(&after);
	sampler->stop();
	printf("%lu %lu\n", end - then,
	       counts_sum(&after) - counts_sum(&before));
	return 0;
}
