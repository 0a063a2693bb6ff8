/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What OSF/1's profil(2) shows and says, as a program that was written there.
 * With an argument, also what only /dev/profil can do.
 */
#include <profil.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "page.h"

#define BINS	2048

static unsigned short short_buffer[BINS];
static unsigned int one[BINS], two[BINS];
static const struct counters classic = { short_buffer, 2 * BINS, 2 };
static const struct counters of_first = { one, sizeof(one), 4 };
static const struct counters of_second = { two, sizeof(two), 4 };
static struct profil_args args[2];

static void start(unsigned int scale)
{
	memset(short_buffer, 0, sizeof(short_buffer));
	profil(short_buffer, sizeof(short_buffer), first, scale);
}

static void test_classic(void)
{
	unsigned long bins = (TEXT(second) - TEXT(first)) / 2;

	start(0x10000);
	point(grows(&classic, first), "0x10000: samples");
	profil(short_buffer, sizeof(short_buffer), first, 1);
	point(still(&classic, first), "scale 1: off");
	point(sum(&classic, bins) == 0, "0x10000: two bytes an element");
	start(0x8000);
	grows(&classic, second);
	profil(short_buffer, sizeof(short_buffer), first, 0);
	point(still(&classic, second), "scale 0: off");
	point(sum(&classic, bins / 2) > 0 && sum(&classic, bins) == 0,
	      "0x8000: four bytes an element");
	start(0x10000);
	profil(0, 0, 0, 0);
	point(still(&classic, first), "profil(0, 0, 0, 0)");
	profil(short_buffer, sizeof(short_buffer), after, 0x10000);
	point(still(&classic, first), "a pc below offset does not count");
	profil(short_buffer, 2, first, 0x10000);
	burn(first);
	profil(0, 0, 0, 0);
	point(sum(&classic, 1) == 0, "a pc beyond buffer_size does not count");
	start(0x10000);
	profil((unsigned short *)16, 4096, first, 0x10000);
	point(still(&classic, first), "a buffer that would fault: off");
}

static void test_fork(void)
{
	start(0x10000);
	point(grows_in_child(&classic, first), "on in a child after fork");
	profil(0, 0, 0, 0);
}

static void test_two(void)
{
	memset(short_buffer, 0, sizeof(short_buffer));
	profil(short_buffer, sizeof(short_buffer), 0, 2);
	point(grows(&classic, first) && grows(&classic, second) &&
	      sum(&classic, 1) == 0, "scale 2: all at the beginning");
	/* Above all libraries. */
	profil(short_buffer, sizeof(short_buffer), -4096, 2);
	point(still(&classic, first), "scale 2: not below offset");
	profil(0, 0, 0, 0);
}

static void ranges(void)
{
	memset(one, 0, sizeof(one));
	memset(two, 0, sizeof(two));
	args[0].buffer = two;
	args[0].lowpc = (void *)TEXT(second);
	args[0].highpc = (void *)TEXT(after);
	args[0].offset = (void *)TEXT(second);
	args[0].scale = 0x10000;
	args[1].buffer = one;
	args[1].lowpc = (void *)TEXT(first);
	args[1].highpc = (void *)TEXT(second);
	args[1].offset = (void *)TEXT(first);
	args[1].scale = 0x10000;
	profil(args, 2, -1, 0);
}

static void test_extended(void)
{
	ranges();
	point(grows(&of_first, first) && sum(&of_second, 0) == 0,
	      "two ranges: the first's samples");
	point(grows(&of_second, second), "two ranges: the second's samples");
	profil(0, 0, 0, 0);
	point(still(&of_first, first) && still(&of_second, second),
	      "profil(0, 0, 0, 0) ends both ranges");
	point(sum(&of_first, (TEXT(second) - TEXT(first)) / 4) == 0,
	      "four bytes an unsigned int");
	ranges();
	start(0x10000);
	point(still(&of_first, first) && sum(&classic, 0) > 0,
	      "a traditional call stops an extended one");
	ranges();
	memset(short_buffer, 0, sizeof(short_buffer));
	point(still(&classic, first) && sum(&of_first, 0) > 0,
	      "an extended call stops a traditional one");
	ranges();
	args[0].buffer = (unsigned int *)16;
	profil(args, 2, -1, 0);
	memset(one, 0, sizeof(one));
	memset(two, 0, sizeof(two));
	point(grows(&of_first, first) && still(&of_second, second),
	      "a range whose buffer would fault: off, and that alone");
	args[0].lowpc = (void *)(TEXT(first) - 1);
	profil(args, 2, -1, 0);
	point(grows(&of_first, first),
	      "ranges in increasing order: nothing changes");
	args[0].buffer = two;
	args[0].lowpc = (void *)TEXT(second);
	args[1].scale = 1;
	profil(args, 2, -1, 0);
	point(still(&of_first, first) && grows(&of_second, second),
	      "a range of scale 1: off, and that alone");
	args[1].scale = 2;
	profil(args, 2, -1, 0);
	memset(one, 0, sizeof(one));
	point(grows(&of_first, first) && sum(&of_first, 1) == 0,
	      "a range of scale 2: all at the beginning");
	profil(0, 0, 0, 0);
}

int main(int argc, char **argv)
{
	(void)argv;
	test_classic();
	if (argc > 1) {
		test_fork();
		test_two();
		test_extended();
	}
	return points_end();
}
