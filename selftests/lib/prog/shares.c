// SPDX-License-Identifier: GPL-2.0-only
/*
 * Burns CPU in two functions, 3 to 1, under monitor(); prints how often they
 * were called, and the samples that the books say have a counter.
 */
#include <profil.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

#define ENOUGH	2000	/* samples, for the shares to be good to a point */

extern int etext();

static short buf[50000];
/* With an argument the buffer is smaller. */
int main(int argc, char **argv)
{
	size_t bufsize = argc > 1 ? strtoul(argv[1], NULL, 0) : 50000;
	struct profil_counts counts;
	unsigned long rounds = 0;
	int i;

	monitor((int)2, etext, buf, bufsize, 20);
	do {
		for (i = 0; i < 100; i++) {
			three();
			one();
		}
		rounds += 100;
	} while (profil_counts_get(&counts, sizeof(counts)) == 0 &&
		 counts.seen < ENOUGH);
	moncontrol(0);
	if (profil_counts_get(&counts, sizeof(counts)) != 0)
		return 1;
	monitor(0);
	printf("one %lu\nthree %lu\n", rounds, rounds);
	fprintf(stderr, "%llu %u\n", (unsigned long long)counts.binned,
		counts.hz);
	return 0;
}
