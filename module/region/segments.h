/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions that overlap, as segments that don't: pure, and compiled into the
 * host's tests as well.
 *
 * Segment i is the addresses from start[i] to start[i + 1] - 1.  owner[i] is
 * its region, or PROFIL_REGION_NONE.  start[0] is 0, and the last segment ends
 * with the address space.
 */
#ifndef _PROFIL_SEGMENTS_H
#define _PROFIL_SEGMENTS_H

#ifdef __KERNEL__
#include <linux/nospec.h>
#endif

#include "region/bin.h"

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
 * Sorts by offset.  Of two regions with the same offset, the first in the array
 * is sorted last, because the last one takes the pc.
 */
static inline int profil_segments_compare(const struct profil_region *regions,
					  u16 a, u16 b)
{
	if (regions[a].offset != regions[b].offset)
		return regions[a].offset < regions[b].offset ? -1 : 1;
	return a > b ? -1 : 1;
}

/*
 * One sweep upwards over the regions in order[], which is sorted.  open[], of
 * nr elements, is a stack of the regions that have begun and may not have
 * ended.  The top one has the largest offset, so it owns the next addresses.
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

/* Which of the segments the pc is in; nr is at least 1. */
static inline u32 profil_segments_find(const u64 *start, u32 nr, u64 pc)
{
	const u64 *low = start;

	/* *low <= pc, and pc is below the start of segment low + nr. */
	while (nr > 1) {
		u32 half = nr / 2;

		if (low[half] <= pc)
			low += half;
		nr -= half;
	}
	return low - start;
}

/*
 * An index of the segments by the high bits of a pc.  Entry i stands for 1 <<
 * shift addresses from base + (i << shift) on.
 *
 * The owner of an entry is PROFIL_INDEX_MIXED if the entry has addresses of more
 * than one segment.  Then a binary search follows, from the entry's segment to
 * that of the next entry.  So that the last entry has a next one, one more
 * follows it.
 *
 * Entry 0 lies below segment 1 and is mixed.  A pc outside the index gets entry 0
 * as well, because array_index_nospec() makes an index that is too large 0.  So
 * the tick needs no other check.
 */
struct profil_index_entry {
	u16 owner;	/* a region, PROFIL_INDEX_NONE or PROFIL_INDEX_MIXED */
	u16 segment;
};

struct profil_index {
	u64 base;
	u64 nr;			/* entries, without that behind the last */
	u64 low;		/* where segment 1 begins */
	u64 size;	/* from there to the start of the last one, included */
	struct profil_index_entry *entries;
	u32 shift;
};

/* A CPU that speculates may take the low bits of the last two for a region. */
#define PROFIL_INDEX_REGION	0x3fff	/* the bits of a region */
#define PROFIL_INDEX_MIXED	0x8000
#define PROFIL_INDEX_NONE	0xc000	/* PROFIL_REGION_NONE */
#define PROFIL_INDEX_DENSITY	3	/* entries a segment */
#define PROFIL_INDEX_MAX(nr_segments)	(PROFIL_INDEX_DENSITY * (nr_segments) + 2)

static inline void profil_index_build(struct profil_index *index,
				      const u64 *start, const u16 *owner,
				      u32 nr_segments)
{
	struct profil_index_entry *entry = index->entries;
	u64 last_start = start[nr_segments - 1];
	u64 range, address, size;
	u32 segment = 0;

	index->low = nr_segments > 1 ? start[1] : 0;
	range = last_start - index->low;
	index->size = range + 1;
	index->shift = 0;
	while (range >> index->shift >=
	       PROFIL_INDEX_DENSITY * nr_segments)
		index->shift++;
	size = 1ULL << index->shift;
	index->base = index->low - size;
	entry->owner = PROFIL_INDEX_MIXED;
	entry->segment = 0;
	entry++;

	for (address = index->low; ; address += size) {
		while (segment + 1 < nr_segments &&
		       start[segment + 1] <= address)
			segment++;
		entry->segment = segment;
		entry->owner = owner[segment] == PROFIL_REGION_NONE ?
			       PROFIL_INDEX_NONE : owner[segment];
		/* An entry at the end of the address space goes on at 0. */
		if ((segment + 1 < nr_segments &&
		     start[segment + 1] - address < size) ||
		    address + size < address)
			entry->owner = PROFIL_INDEX_MIXED;
		entry++;
		if (last_start - address < size)
			break;
	}
	entry->segment = nr_segments - 1;
	entry->owner = PROFIL_INDEX_MIXED;
	index->nr = entry - index->entries;
}

/* The owner of the pc's entry.  profil_index_find() knows that of a mixed one. */
static inline u16 profil_index_guess(const struct profil_index *index, u64 pc)
{
	u64 i = (pc - index->base) >> index->shift;

	i = array_index_nospec(i, index->nr);
	return index->entries[i].owner;
}

static inline bool profil_index_is_region(u16 owner)
{
	return owner < PROFIL_INDEX_MIXED;
}

/* The owner of the segment that pc is in. */
static inline u16 profil_index_find(const struct profil_index *index,
				    const u64 *start, const u16 *owner,
				    u32 nr_segments, u64 pc)
{
	const struct profil_index_entry *entry;
	u64 d = pc - index->low, i;
	u32 first;

	if (d >= index->size)
		return owner[pc < index->low ? 0 : nr_segments - 1];
	i = array_index_nospec((d >> index->shift) + 1, index->nr);
	entry = &index->entries[i];
	if (profil_index_is_region(entry->owner))
		return entry->owner;
	first = entry[0].segment;
	return owner[first + profil_segments_find(start + first,
						  entry[1].segment - first + 1,
						  pc)];
}

#endif /* _PROFIL_SEGMENTS_H */
