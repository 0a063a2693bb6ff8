// SPDX-License-Identifier: GPL-2.0-only
/*
 * The accuracy of shares: 20 functions are called in random order, and each
 * should get samples in proportion to its instructions.
 *
 *	share SAMPLER RUNS TICKS
 *
 * Prints the sum of chi-square over the runs, its degrees of freedom, and the
 * samples.
 */
#include "sampler.h"

static uint64_t calls[NR_FUNCTIONS];

static int random_function(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % NR_FUNCTIONS;
}

static void run(uint64_t ticks)
{
	uint64_t end = now() + ticks * TICK;

	while (now() < end) {
		int i = random_function();

		calls[i]++;
		work(i);
	}
}

/* Only samples in functions are compared. */
static double chi_square(const uint64_t *samples)
{
	double cost = 0, sum = 0, chi = 0;
	int i;

	for (i = 0; i < NR_FUNCTIONS; i++) {
		cost += calls[i] * work_cost(i);
		sum += samples[i];
	}
	for (i = 0; i < NR_FUNCTIONS; i++) {
		double expected = sum * calls[i] * work_cost(i) / cost;

		chi += (samples[i] - expected) * (samples[i] - expected) /
		       expected;
	}
	return chi;
}

int main(int argc, char **argv)
{
	const struct sampler *sampler;
	struct counts before, after;
	uint64_t samples[NR_FUNCTIONS], total = 0;
	double chi = 0;
	int runs, i, j;

	if (argc != 4) {
		fputs("usage: share SAMPLER RUNS TICKS\n", stderr);
		return 2;
	}
	sampler = sampler_find(argv[1]);
	runs = atoi(argv[2]);
	sampler->start();
	sampler->read(&after);
	for (i = 0; i < runs; i++) {
		before = after;
		memset(calls, 0, sizeof(calls));
		run(strtoul(argv[3], NULL, 0));
		sampler->read(&after);
		for (j = 0; j < NR_FUNCTIONS; j++) {
			samples[j] = after.in[j] - before.in[j];
			total += samples[j];
		}
		chi += chi_square(samples);
	}
	sampler->stop();
	printf("%.1f %d %lu\n", chi, runs * (NR_FUNCTIONS - 1), total);
	return 0;
}
