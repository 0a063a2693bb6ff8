// SPDX-License-Identifier: GPL-2.0-only
/*
 * Burns CPU in two functions, 3 to 1, through its own profil() or as a -pg
 * program, counting the signals and EINTRs that come meanwhile.
 */
#include <errno.h>
#include <profil.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "burn.h"

/* By work, not by the clock; longer where ticks are few. */
static void burn(unsigned long rounds)
{
	while (rounds--) {
		three();
		one();
	}
}

/* Enough for the shares to be good to a point, where there are books. */
static void burn_ticks(void)
{
	struct profil_counts counts;

	do {
		burn(100);
	} while (profil_counts_get(&counts, sizeof(counts)) == 0 &&
		 counts.seen < 2000);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000;
	struct sigaction action;

	if (argc > 2 && !strcmp(argv[2], "pause")) {
		moncontrol(0);
		burn(rounds);
		moncontrol(1);
		one();
		moncontrol(0);
		one();
		return 0;
	}
	burn(rounds);
	if (argc > 2)
		burn_ticks();
	sigaction(SIGPROF, NULL, &action);
	printf("secure %lu\n", getauxval(AT_SECURE));
	printf("handler %d\n", action.sa_handler != SIG_DFL);
	return 0;
}
