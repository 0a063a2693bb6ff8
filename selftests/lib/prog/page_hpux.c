/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What HP-UX's sprofil(2) and profil(2) show and say, as a program that was
 * written there.  With an argument, also what only /dev/profil can do.
 */
#include <errno.h>
#include <profil.h>
#include <stdlib.h>
#include <sys/time.h>
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
static struct prof profs[3];

static int fails(int ret, int error)
{
	int good = ret == -1 && errno == error;

	errno = 0;
	return good;
}

static void set(struct prof *p, void *base, unsigned int size,
		unsigned long offset, unsigned int scale)
{
	p->pr_base = base;
	p->pr_size = size;
	p->pr_offset = (void *)offset;
	p->pr_scale = scale;
}

static void set_all(void)
{
	memset(ints, 0, sizeof(ints));
	memset(overflow, 0, sizeof(overflow));
	set(&profs[0], ints[0], (unsigned int)(TEXT(second) - TEXT(first)),
	    TEXT(first), 65536);
	set(&profs[1], ints[1], (unsigned int)(TEXT(after) - TEXT(second)),
	    TEXT(second), 65536);
	set(&profs[2], overflow, sizeof(int), 0, 2);
}

static void test_profil(void)
{
	unsigned long bins = (TEXT(second) - TEXT(first)) / 2;

	profil(shorts, sizeof(shorts), TEXT(first), 65536);
	point(grows(&of_shorts, first) && sum(&of_shorts, bins) == 0,
	      "profil: 65536");
	profil(shorts, sizeof(shorts), TEXT(first), 1);
	point(still(&of_shorts, first), "profil: scale 1 turns it off");
	profil(shorts, sizeof(shorts), TEXT(first), 0177777);
	point(grows(&of_shorts, first), "profil: 0177777");
	profil(shorts, sizeof(shorts), TEXT(first), 0);
	point(still(&of_shorts, first), "profil: scale 0 turns it off");
	profil(shorts, sizeof(shorts), TEXT(first), 65536);
	profil(shorts, 0, TEXT(first), 65536);
	point(still(&of_shorts, first), "profil: bufsiz 0 counts nothing");
	profil((unsigned short *)16, 4096, TEXT(first), 65536);
	point(still(&of_shorts, first), "profil: a memory fault turns it off");
}

static void test_one(void)
{
	struct timeval tick;

	memset(&tick, 0xff, sizeof(tick));
	memset(shorts, 0, sizeof(shorts));
	set(&profs[0], shorts, sizeof(shorts), TEXT(first), 65536);
	point(sprofil(profs, 1, &tick, PROF_USHORT) == 0 &&
	      grows(&of_shorts, first), "sprofil: one region of 16 bits");
	point(tick.tv_sec == 0 && tick.tv_usec > 0 && tick.tv_usec <= 10000,
	      "sprofil: the time of a tick");
	point(sprofil(profs, 0, (struct timeval *)0, PROF_USHORT) == 0 &&
	      still(&of_shorts, first), "sprofil: profcnt 0 disables");
	profil(shorts, sizeof(shorts), TEXT(first), 65536);
}

static void test_errors(void)
{
	struct timeval *illegal = (struct timeval *)16;
	long max = sysconf(_SC_PROFIL_MAX);

	set(&profs[0], shorts, sizeof(shorts), TEXT(first), 65536);
	point(max >= 1, "sysconf(_SC_PROFIL_MAX)");
	point(sysconf(_SC_PAGESIZE) >= 4096, "sysconf of other names");
	point(fails(sprofil(profs, -1, NULL, PROF_USHORT), E2BIG) &&
	      fails(sprofil(profs, (int)max + 1, NULL, PROF_USHORT), E2BIG),
	      "E2BIG: profcnt");
	point(fails(sprofil((struct prof *)16, 1, NULL, PROF_USHORT), EFAULT),
	      "EFAULT: profp");
	point(fails(sprofil(profs, 1, illegal, PROF_USHORT), EFAULT),
	      "EFAULT: tvp");
	point(fails(sprofil(profs, 1, NULL, 2), EINVAL) &&
	      fails(sprofil(profs, 1, NULL, PROF_UINT | PROF_UINT64), EINVAL) &&
	      fails(sprofil(profs, 1, NULL, ~0u), EINVAL), "EINVAL: flags");
	profs[0].pr_size = 0;
	point(fails(sprofil(profs, 1, NULL, PROF_USHORT), EINVAL),
	      "EINVAL: pr_size 0");
	profs[0].pr_size = 5;
	point(fails(sprofil(profs, 1, NULL, PROF_USHORT), EINVAL),
	      "EINVAL: pr_size not a multiple of the element");
	set(&profs[0], shorts, (1u << 30) + 2, TEXT(first), 1);
	point(fails(sprofil(profs, 1, NULL, PROF_USHORT), EINVAL),
	      "EINVAL: pr_size above 2^46 * pr_scale / 65536");
	set(&profs[0], shorts, sizeof(shorts), TEXT(first), 0);
	point(fails(sprofil(profs, 1, NULL, PROF_USHORT), EINVAL),
	      "EINVAL: any pr_size with pr_scale 0");
	set(&profs[0], shorts, 4, 0, 2);
	point(fails(sprofil(profs, 1, NULL, PROF_USHORT), EINVAL),
	      "EINVAL: an overflow bin of two elements");
	point(grows(&of_shorts, first), "and profiling goes on");
	set(&profs[0], (void *)16, 4096, TEXT(first), 65536);
	point(fails(sprofil(profs, 1, NULL, PROF_USHORT), EFAULT) &&
	      still(&of_shorts, first),
	      "EFAULT: pr_base, and profiling is disabled");
}

static void test_all(void)
{
	profil(shorts, sizeof(shorts), TEXT(first), 65536);
	point(grows_in_child(&of_shorts, first), "profil: on in a child");
	set_all();
	point(sprofil(profs, 3, NULL, PROF_UINT) == 0 &&
	      grows(&of_first, first), "two regions: the first");
	point(grows(&of_second, second), "two regions: the second");
	burn(after);
	point(grows(&of_overflow, after) && overflow[1] == 0,
	      "the overflow bin: its single element takes the rest");
	point(sprofil(profs, 2, NULL, PROF_UINT) == 0 &&
	      still(&of_overflow, after), "each call disables the last");
	profil(shorts, sizeof(shorts), 0, 2);
	memset(shorts, 0, sizeof(shorts));
	point(grows(&of_shorts, first) && sum(&of_shorts, 1) == 0,
	      "profil: 02 maps all onto the beginning");
	set_all();
	profs[0].pr_offset = (void *)(TEXT(second) + 1);
	point(fails(sprofil(profs, 3, NULL, PROF_UINT), EINVAL),
	      "EINVAL: not in ascending order");
	set_all();
	profs[1] = profs[2];
	point(fails(sprofil(profs, 2, NULL, PROF_UINT), 0) == 0,
	      "an overflow bin behind one region");
	profs[2] = profs[0];
	point(fails(sprofil(&profs[1], 2, NULL, PROF_UINT), EINVAL),
	      "EINVAL: the overflow bin is not last");
	/* Both hold first(); both are at the same offset. */
	set_all();
	set(&profs[1], ints[1], sizeof(ints[1]), TEXT(first), 65536);
	point(sprofil(profs, 2, NULL, PROF_UINT) == 0 &&
	      grows(&of_first, first) && sum(&of_second, 0) == 0,
	      "of two regions with one offset, the first");
	set(&profs[0], ints[0], sizeof(ints[0]), TEXT(first) - 64, 65536);
	memset(ints, 0, sizeof(ints));
	point(sprofil(profs, 2, NULL, PROF_UINT) == 0 &&
	      grows(&of_second, first) && sum(&of_first, 0) == 0,
	      "of two regions with the pc, that of the largest offset");
	memset(ints, 0xff, sizeof(ints));
	burn(first);
	sprofil(NULL, 0, NULL, PROF_UINT);
	point(sum(&of_second, 0) == 4294967295.0 * BINS,
	      "no counter overflows");
}

int main(int argc, char **argv)
{
	(void)argv;
	test_profil();
	test_one();
	test_errors();
	if (argc > 1)
		test_all();
	return points_end();
}
