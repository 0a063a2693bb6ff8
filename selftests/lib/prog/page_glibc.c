/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Linux's profil(3) and <sys/profil.h> say.  With an argument, also what
 * only /dev/profil can do.
 */
#include <errno.h>
#include <profil.h>
#include <stdlib.h>
#include <unistd.h>

#include "page.h"

#define BINS	2048

static unsigned short shorts[BINS];
static unsigned int ints[2][BINS];
static unsigned int overflow[2];
static const struct counters of_shorts = { shorts, sizeof(shorts), 2 };
static const struct counters of_first = { ints[0], sizeof(ints[0]), 4 };
static const struct counters of_second = { ints[1], sizeof(ints[1]), 4 };
static const struct counters of_overflow = { overflow, sizeof(overflow), 4 };

/* The C library's header has it nonnull. */
static int (*volatile call)(unsigned short *, size_t, size_t, unsigned int) =
	profil;

static void test_profil(void)
{
	unsigned long bins = (TEXT(second) - TEXT(first)) / 2;

	point(call(shorts, sizeof(shorts), TEXT(first), 65536) == 0 &&
	      grows(&of_shorts, first) && sum(&of_shorts, bins) == 0,
	      "profil: 65536");
	point(call(NULL, sizeof(shorts), TEXT(first), 65536) == 0 &&
	      still(&of_shorts, first), "profil: a null buf disables");
	memset(shorts, 0, sizeof(shorts));
	point(call(shorts, sizeof(shorts), TEXT(first), 32768) == 0 &&
	      grows(&of_shorts, first) && sum(&of_shorts, bins / 2) == 0,
	      "profil: 32768");
	point(call(shorts, sizeof(shorts), TEXT(first), 0) == 0 &&
	      still(&of_shorts, first), "profil: scale 0 disables");
}

static void test_sprofil(void)
{
	struct prof profs[3];
	struct timeval tick;
	unsigned int bytes = (unsigned int)(TEXT(second) - TEXT(first));

	memset(profs, 0, sizeof(profs));
	profs[0].pr_base = overflow;
	profs[0].pr_size = sizeof(overflow);
	profs[0].pr_scale = 2;
	profs[1].pr_base = ints[1];
	profs[1].pr_size = sizeof(ints[1]);
	profs[1].pr_off = TEXT(second);
	profs[1].pr_scale = 65536;
	profs[2].pr_base = ints[0];
	profs[2].pr_size = bytes;
	profs[2].pr_off = TEXT(first);
	profs[2].pr_scale = 65536;
	point(sprofil(profs, 3, &tick, PROF_UINT | PROF_FAST) == 0 &&
	      grows(&of_first, first) && grows(&of_second, second),
	      "sprofil: regions in any order");
	point(grows(&of_overflow, (void (*)(void))clock) && overflow[1] == 0,
	      "sprofil: a pc below the lowest region, to the overflow bin");
	point(sprofil(NULL, 0, NULL, 0) == 0 && still(&of_first, first),
	      "sprofil: profcnt 0 disables");
	memset(ints, 0, sizeof(ints));
	point(sprofil(&profs[1], 2, NULL, PROF_UINT) == 0 &&
	      grows(&of_first, first), "sprofil: on again after off");
	point(sprofil(&profs[1], 1, NULL, PROF_UINT) == 0 &&
	      still(&of_first, first) && grows(&of_second, second),
	      "sprofil: a second call while on replaces the first");
	profs[2].pr_size = sizeof(ints[0]);
	memset(ints, 0, sizeof(ints));
	point(sprofil(&profs[1], 2, NULL, PROF_UINT) == 0 &&
	      grows(&of_second, second) && sum(&of_first, 0) == 0,
	      "sprofil: of two, the region with the largest offset");
	sprofil(NULL, 0, NULL, 0);
}

int main(int argc, char **argv)
{
	(void)argv;
	test_profil();
	if (argc > 1)
		test_sprofil();
	return points_end();
}
