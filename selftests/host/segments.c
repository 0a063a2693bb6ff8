// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search table over regions against the rule itself: of all regions that
 * have a counter for the pc, the one with the largest offset, on a tie the
 * first.
 */
#include "kernel.h"
#include "region/segments.h"

#define REGIONS	12

static struct profil_region regions[1024];
static u16 order[1024], open_regions[1024];
static u64 start[PROFIL_SEGMENTS_MAX(1024)];
static u16 owner[PROFIL_SEGMENTS_MAX(1024)];
static struct profil_index_entry
	entries[PROFIL_INDEX_MAX(PROFIL_SEGMENTS_MAX(1024))];
static struct profil_index table = { .entries = entries };

static int compare(const void *a, const void *b)
{
	return profil_segments_compare(regions, *(const u16 *)a,
				       *(const u16 *)b);
}

static u32 build(u32 nr)
{
	u32 i, nr_segments;

	for (i = 0; i < nr; i++)
		order[i] = i;
	qsort(order, nr, sizeof(*order), compare);
	nr_segments = profil_segments_build(regions, order, nr, open_regions,
					    start, owner);
	if (nr_segments)
		profil_index_build(&table, start, owner, nr_segments);
	return nr_segments;
}

static u16 oracle(u32 nr, u64 pc)
{
	u16 best = PROFIL_REGION_NONE;
	u32 i;

	for (i = 0; i < nr; i++) {
		unsigned __int128 byte;
		const struct profil_region *r = &regions[i];

		if (pc < r->offset)
			continue;
		byte = (unsigned __int128)(pc - r->offset) * r->scale / 65536;
		byte -= byte % r->width;
		if (byte + r->width > r->size)
			continue;
		if (best == PROFIL_REGION_NONE ||
		    r->offset > regions[best].offset)
			best = i;
	}
	return best;
}

static bool same(u32 nr, u32 nr_segments, u64 pc)
{
	u16 is = profil_index_find(&table, start, owner, nr_segments, pc);
	u16 guess = profil_index_guess(&table, pc);
	u16 should = oracle(nr, pc);

	if (guess == PROFIL_INDEX_NONE)
		guess = PROFIL_REGION_NONE;
	if (guess != PROFIL_INDEX_MIXED && guess != should) {
		printf("# %u regions, pc %#llx: guessed %d, not %d\n", nr,
		       (unsigned long long)pc, guess, should);
		return false;
	}

	if (is != should)
		printf("# %u regions, pc %#llx: %d, not %d\n", nr,
		       (unsigned long long)pc, is, should);
	return is == should;
}

static void random_region(struct profil_region *r, bool small)
{
	r->width = 2 << random64() % 3;
	if (small) {
		r->offset = random64() % 64;
		r->size = r->width + random64() % 64;
		r->scale = 0x4000 << random64() % 4;
	} else {
		r->offset = random64() >> random64() % 64;
		/* Some reach past the end of the address space. */
		if (random64() % 4 == 0)
			r->offset = -r->offset;
		r->size = r->width + (random64() >> (20 + random64() % 44));
		r->scale = 1 + random64() % PROFIL_SCALE_MAX;
	}
}

static bool random_sets(bool small, u32 nr_max, int rounds)
{
	u32 nr, nr_segments, i;
	u64 pc;

	while (rounds--) {
		nr = 1 + random64() % nr_max;
		for (i = 0; i < nr; i++)
			random_region(&regions[i], small);
		nr_segments = build(nr);
		if (!nr_segments || start[0] ||
		    nr_segments > PROFIL_SEGMENTS_MAX(nr))
			return false;
		for (i = 1; i < nr_segments; i++)
			if (start[i] <= start[i - 1])
				return false;
		for (pc = 0; small && pc < 400; pc++)
			if (!same(nr, nr_segments, pc))
				return false;
		/* At each boundary of a region, and beside it. */
		for (i = 0; i < nr; i++) {
			u64 first = regions[i].offset;
			u64 last = profil_segments_last(&regions[i]);

			if (!same(nr, nr_segments, first - 1) ||
			    !same(nr, nr_segments, first) ||
			    !same(nr, nr_segments, last) ||
			    !same(nr, nr_segments, last + 1) ||
			    !same(nr, nr_segments, random64()))
				return false;
		}
	}
	return true;
}

int main(void)
{
	printf("KTAP version 1\n");
	report("segments.small_sets_at_every_pc",
	       random_sets(true, REGIONS, 10000));
	report("segments.large_sets_at_every_border",
	       random_sets(false, REGIONS, 100000));
	report("segments.of_1024_regions",
	       random_sets(false, 1024, 20) && random_sets(true, 1024, 20));
	return finish();
}
