// SPDX-License-Identifier: GPL-2.0-only
/* The region of the text, cut by the program's own regions. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>

#include "unit.h"

static int takes(const struct profil_region *region, uint64_t pc)
{
	uint64_t byte = (pc - region->offset) * region->scale / 65536;

	if (pc < region->offset ||
	    (region->flags & PROFIL_REGION_F_OVERFLOW))
		return 0;
	return byte - byte % region->width + region->width <= region->size;
}

/* The kernel's rule; -1: no region. */
static int taker(const struct profil_region *regions, int nr, uint64_t pc)
{
	int best = -1, i;

	for (i = 0; i < nr; i++)
		if (takes(&regions[i], pc) &&
		    (best < 0 || regions[i].offset > regions[best].offset))
			best = i;
	for (i = 0; best < 0 && i < nr; i++)
		if (regions[i].flags & PROFIL_REGION_F_OVERFLOW &&
		    pc >= regions[i].offset)
			best = i;
	return best;
}

static struct profil_region region_any(unsigned int *seed)
{
	struct profil_region region = {
		.base = 0x1000, .width = 2u << rand_r(seed) % 3,
		.offset = (uint64_t)(rand_r(seed) % 1500),
		.scale = 1u + (uint32_t)rand_r(seed) % 0x20000,
	};

	region.size = region.width + (uint64_t)(rand_r(seed) % 700);
	if (rand_r(seed) % 16 == 0) {
		region.flags = PROFIL_REGION_F_OVERFLOW;
		region.scale = 2;
		region.size = region.width;
	}
	return region;
}

/* How many pcs are counted otherwise than they should be. */
static unsigned int cut_wrong(unsigned int *seed)
{
	struct profil_region regions[5];
	struct profil_region text = {
		.base = 0x1000, .width = 4, .offset = 256,
	};
	unsigned int bin = 2u << rand_r(seed) % 6, lost = 0, wrong = 0;
	int nr = 1 + rand_r(seed) % 4, i;
	bool overlap = false, left, both = false;
	uint64_t pc;

	for (i = 0; i < nr; i++)
		regions[i] = region_any(seed);
	/* One overflow region is all that the kernel takes. */
	for (i = 0; i < nr - 1; i++)
		regions[i].flags = 0;
	text.scale = 65536 / bin * text.width;
	text.size = 1024 / bin * text.width;
	regions[nr] = text;
	left = profil_region_cut(&regions[nr], regions, (uint32_t)nr, &overlap);
	for (pc = 0; pc < 4096; pc++) {
		int alone = taker(regions, nr, pc);
		int beside = taker(regions, nr + left, pc);

		both |= alone >= 0 && takes(&text, pc);
		if (alone >= 0)
			wrong += beside != alone;
		else if (takes(&text, pc))
			lost += beside != nr;
		else
			wrong += beside >= 0;
	}
	/* A cut is at the end of a bin, one before and one behind. */
	return wrong + (lost > 2 * bin) + (both && !overlap);
}

void test_cut(void)
{
	unsigned int seed = 1, wrong = 0, i;

	for (i = 0; i < 20000; i++)
		wrong += cut_wrong(&seed);
	tested(!wrong, "cut: the program's own regions count as alone");
}
