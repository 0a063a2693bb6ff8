// SPDX-License-Identifier: MIT
/* The histogram of one object: its bins, and the region that counts in them. */
#include <profil.h>

#include "pg/gmon.h"

/*
 * gprof sees text in units of 2 bytes, and functions need not be aligned: with
 * a bin a unit, no two functions share one.  Large programs get the C library's 4.
 */
#define BIN_TEXT_FINE	2
#define TEXT_FINE_MAX	(8ul << 20)

void profil_gmon_bins_set(struct profil_gmon *g, unsigned int bin_text,
			  unsigned int width)
{
	g->bin_text = bin_text;
	g->width = width;
	g->low &= -(uintptr_t)bin_text;
	g->high = (g->high + bin_text - 1) & -(uintptr_t)bin_text;
}

unsigned int profil_gmon_finest(const struct profil_gmon *g)
{
	return g->arcs.size <= TEXT_FINE_MAX ? BIN_TEXT_FINE : PROFIL_BIN_TEXT;
}

void profil_gmon_bins_finest(struct profil_gmon *g)
{
	profil_gmon_bins_set(g, profil_gmon_finest(g), profil_width_known(4) ? 4 : 2);
}

struct profil_region profil_gmon_region(const struct profil_gmon *g)
{
	return (struct profil_region){
		.base = (uintptr_t)g->hist,
		.size = (uint64_t)profil_gmon_bins(g) * g->width,
		.offset = g->low,
		.scale = 65536 / g->bin_text * g->width,
		.width = g->width,
	};
}
