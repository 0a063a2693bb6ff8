// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of lib/device/backend.c: keeps the regions that a dialect hands to the
 * kernel, and says by the kernel's own arithmetic where a pc counts.  A file of
 * its own, because the header's calls promise not to come back to theirs.
 */
#include <errno.h>

#include "../../host/kernel.h"
#include "../../../module/region/segments.h"
#include "internal.h"
#include "regions.h"

struct profil_region set_regions[REGIONS_MAX];
unsigned int set_nr;
static u64 set_start[PROFIL_SEGMENTS_MAX(REGIONS_MAX)];
static u16 set_owner[PROFIL_SEGMENTS_MAX(REGIONS_MAX)];
static u32 set_segments;

int profil_backend(void)
{
	return 1;
}

int profil_backend_tell(int ret, const char *without)
{
	(void)without;
	return ret;
}

void profil_why(const char *outcome, int error)
{
	(void)outcome;
	(void)error;
}

bool profil_width_known(unsigned int width)
{
	return width == 2 || width == 4 || width == 8;
}

unsigned int profil_regions_max(void)
{
	return REGIONS_MAX;
}

unsigned int profil_hz(void)
{
	return 250;
}

int profil_regions_end(unsigned int flags)
{
	set_nr = 0;
	return (int)(flags & 0);
}

static int set_compare(const void *a, const void *b)
{
	return profil_segments_compare(set_regions, *(const u16 *)a,
				       *(const u16 *)b);
}

/* The kernel's checks that these tests can run into. */
int profil_regions_set(const struct profil_region *regions, unsigned int nr,
		       unsigned int flags)
{
	static u16 order[REGIONS_MAX], open_regions[REGIONS_MAX];
	unsigned int i;

	/* What no dialect may ask for. */
	if (!nr || nr > REGIONS_MAX || flags)
		abort();
	for (i = 0; i < nr; i++) {
		if (regions[i].base % regions[i].width || !regions[i].scale ||
		    regions[i].scale > PROFIL_SCALE_MAX ||
		    regions[i].size < regions[i].width) {
			errno = EINVAL;
			return -1;
		}
		order[i] = (u16)i;
	}
	memcpy(set_regions, regions, nr * sizeof(*regions));
	set_nr = nr;
	qsort(order, nr, sizeof(*order), set_compare);
	set_segments = profil_segments_build(set_regions, order, nr,
					     open_regions, set_start,
					     set_owner);
	return 0;
}

u64 set_counter(u64 pc)
{
	const struct profil_region *r;
	u16 owner;

	if (!set_nr)
		return 0;
	owner = set_owner[profil_segments_find(set_start, set_segments, pc)];
	if (owner == PROFIL_REGION_NONE)
		return 0;
	r = &set_regions[owner];
	return r->base + profil_bin_index(pc - r->offset, r->scale, r->width);
}
