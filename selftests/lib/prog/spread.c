// SPDX-License-Identifier: GPL-2.0-only
/*
 * A -pg program with made-up samples: spread [BIN:COUNT...] [coarse], where BIN
 * is a bin of spin().  It changes the state of the static library that it is
 * linked with.
 */
#include <profil.h>
#include <stdlib.h>
#include <string.h>

#include "pg/gmon.h"

int spin(int x);

__attribute__((noinline)) int spin(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

#ifdef BIG
/* Text that is never run, in front of spin() or behind it. */
__asm__(".pushsection .text.unlikely\n"
	"\t.type before, %function\n"
	"before:\t.skip 3 << 20, 0x90\n"
	"\t.size before, . - before\n"
	"\t.popsection\n");
#endif

int main(int argc, char **argv)
{
	struct profil_gmon *gmon = (struct profil_gmon *)profil_arcs_on;
	size_t bin;
	int i;

	for (i = 0; i < 10; i++)
		spin(i);
	moncontrol(0);
	memset(gmon->hist, 0, profil_gmon_bins(gmon) * gmon->width);
	profil_gmon_bins_set(gmon, 2, 4);
	if (argc > 1 && !strcmp(argv[argc - 1], "coarse")) {
		profil_gmon_bins_set(gmon, 16, 4);
		argc--;
	}
	bin = ((uintptr_t)spin - gmon->low) / gmon->bin_text;
	for (i = 1; i < argc; i++) {
		char *colon = strchr(argv[i], ':');

		((uint32_t *)gmon->hist)[bin + strtoul(argv[i], NULL, 10)] =
			(uint32_t)strtoul(colon + 1, NULL, 10);
	}
	return 0;
}
