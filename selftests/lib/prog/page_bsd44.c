/* SPDX-License-Identifier: GPL-2.0-only */
/* What NetBSD's profil(2) says, as a program that was written there. */
#include <errno.h>
#include <profil.h>
#include <stdlib.h>
#include <unistd.h>

#include "page.h"

#define BINS	2048

static unsigned short bins[BINS];
static char *const samples = (char *)bins;
static const struct counters counted = { bins, sizeof(bins), 2 };

static void test_scale(unsigned int scale, unsigned long bytes,
		       const char *name)
{
	unsigned long number = (TEXT(second) - TEXT(first)) / bytes;

	memset(bins, 0, sizeof(bins));
	point(profil(samples, sizeof(bins), TEXT(first), scale) == 0 &&
	      grows(&counted, first) && sum(&counted, number) == 0 &&
	      grows(&counted, second) && sum(&counted, number) > 0 &&
	      sum(&counted, 2 * number) == 0, name);
	profil(samples, sizeof(bins), 0, 0);
}

int main(void)
{
	test_scale(65536, 2, "65536: a bin for 2 bytes");
	test_scale(32768, 4, "32768: a bin for 4 bytes");
	test_scale(16384, 8, "16384: a bin for 8 bytes");
	point(still(&counted, first), "scale 0 disables");
	profil(samples, sizeof(bins), TEXT(second), 65536);
	point(still(&counted, first), "offset is the lowest pc sampled");
	memset(bins, 0, sizeof(bins));
	profil(samples, 1, TEXT(first), 65536);
	point(still(&counted, first) && sum(&counted, 0) == 0,
	      "no bin that is not in the buffer");
	point(profil(samples, sizeof(bins), TEXT(first), 1) == 0 &&
	      grows(&counted, first) && sum(&counted, 1) == 0,
	      "scale 1: a bin for 131072 bytes");
	errno = 0;
	point(profil((char *)16, 4096, TEXT(first), 65536) == -1 &&
	      errno == EFAULT, "EFAULT: an illegal address");
	point(still(&counted, first), "and profiling is terminated");
	return points_end();
}
