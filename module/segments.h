/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions that overlap, as segments that don't: pure, and compiled into the
 * host's tests as well.
 *
 * Segment i is the addresses from start[i] to start[i + 1] - 1, and belongs to
 * region owner[i] or to none.  start[0] is 0; the last segment ends with the
 * address space.
 */
#ifndef _PROFIL_SEGMENTS_H
#define _PROFIL_SEGMENTS_H

#include "bin.h"

#define PROFIL_REGION_NONE	((u16)~0)

/* Each region begins one segment, and ends with at most one more. */
#define PROFIL_SEGMENTS_MAX(nr_regions)	(2 * (nr_regions) + 1)

/* The last address that has a counter. */
static inline u64 profil_segments_last(const struct profil_region *region)
{
	u64 usable = profil_bin_usable(region->size, region->width);
	u64 last = region->offset + profil_bin_span(usable, region->scale) - 1;

	return last < region->offset ? ~0ULL : last;
}

/*
 * By offset; of two with the same offset the earlier in the array comes later
 * here, since the one that comes later takes the pc.
 */
static inline int profil_segments_compare(const struct profil_region *regions,
					  u16 a, u16 b)
{
	if (regions[a].offset != regions[b].offset)
		return regions[a].offset < regions[b].offset ? -1 : 1;
	return a > b ? -1 : 1;
}

/*
 * One sweep upwards over the regions named by order[], which is sorted.
 * open[], of nr elements, is the stack of regions begun and not known to have
 * ended: the top one has the largest offset, so it owns what comes next.
 * Returns the number of segments.
 */
static inline u32 profil_segments_build(const struct profil_region *regions,
					const u16 *order, u32 nr, u16 *open,
					u64 *start, u16 *owner)
{
	u32 nr_segments = 0, nr_open = 0, i;
	u64 pos = 0;

	for (i = 0; i <= nr; i++) {
		u64 next = i < nr ? regions[order[i]].offset : ~0ULL;

		/* From pos up to the start of the next region, or the end. */
		while (pos < next || i == nr) {
			u64 last = ~0ULL;
			u16 top = PROFIL_REGION_NONE;

			if (nr_open) {
				top = open[nr_open - 1];
				last = profil_segments_last(&regions[top]);
			}
			if (last >= pos) {
				start[nr_segments] = pos;
				owner[nr_segments++] = top;
				if (last >= next)
					break;
				pos = last + 1;
			}
			nr_open--;
		}
		if (i < nr) {
			pos = next;
			open[nr_open++] = order[i];
		}
	}
	return nr_segments;
}

/* The segment that pc is in; nr is at least 1. */
static inline u32 profil_segments_find(const u64 *start, u32 nr, u64 pc)
{
	u32 low = 0;

	/* start[low] <= pc, and pc is below the start of segment low + nr. */
	while (nr > 1) {
		u32 half = nr / 2;

		if (start[low + half] <= pc)
			low += half;
		nr -= half;
	}
	return low;
}

#endif /* _PROFIL_SEGMENTS_H */
