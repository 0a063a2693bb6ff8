// SPDX-License-Identifier: MIT
/*
 * What is left of a region beside those of the program's own profile, which
 * count what they would count alone.
 *
 * The kernel gives a pc to the region with the largest offset.  So a region
 * loses to one that begins in it, and would win from one that began before it:
 * there it begins behind that one's end, at its own next bin.
 */
#include "dso/dso.h"

static uint64_t text_end(const struct profil_region *region)
{
	uint64_t bytes = region->size - region->size % region->width;
	uint64_t text;

	if (bytes >> 48 || !region->scale)
		return UINT64_MAX;
	text = bytes * 65536 / region->scale +
	       (bytes * 65536 % region->scale != 0);
	return region->offset + text < text ? UINT64_MAX :
					      region->offset + text;
}

bool profil_region_cut(struct profil_region *region,
		       const struct profil_region *own, uint32_t nr_own,
		       bool *overlap)
{
	uint64_t bin = 65536ull * region->width / region->scale;
	uint64_t first = region->offset, end = text_end(region);
	uint32_t i;

	for (i = 0; i < nr_own; i++) {
		bool rest = own[i].flags & PROFIL_REGION_F_OVERFLOW;
		uint64_t own_end = rest ? UINT64_MAX : text_end(&own[i]);

		if (own_end <= first || own[i].offset >= end)
			continue;
		*overlap = true;
		if (rest && own[i].offset > first) {
			end = own[i].offset;
		} else if (own[i].offset < first || rest) {
			if (own_end > end - 1)
				return false;
			first += (own_end - first + bin - 1) / bin * bin;
			/* Now others may begin before it. */
			i = UINT32_MAX;
		}
		if (first >= end)
			return false;
	}
	region->base += (first - region->offset) / bin * region->width;
	region->offset = first;
	region->size = (end - first) / bin * region->width;
	return region->size;
}
