// SPDX-License-Identifier: GPL-2.0-only
/*
 * What being sampled costs a program: the instructions that the machine takes
 * for the same work, which is as much as TICKS ticks are apart.
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
	/* What is only done once is over. */
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
