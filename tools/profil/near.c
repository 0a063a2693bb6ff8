// SPDX-License-Identifier: MIT
/*
 * The name of an address depends on two symbols: the last that begins at or before
 * it, and the first that begins behind it.  The others are dropped before sorting,
 * because sorting all would take most of the time of recording a short program.
 */
#include <elf.h>
#include <stdlib.h>

#include "elfs.h"
#include "near.h"

#define FEW	8	/* with fewer symbols for each address, all are kept */

/* Returns how many numbers are below the limit. */
static size_t count_below(const uint64_t *sorted, size_t nr, uint64_t limit)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where the two symbols of one address begin. */
struct nearest {
	uint64_t before, behind;
};

static struct nearest *find_nearest(const struct symbols *symbols,
				    const uint64_t *asked, size_t nr)
{
	struct nearest *nearest = more(NULL, 0, nr * sizeof(*nearest));
	size_t i, at;

	for (i = 0; i < nr; i++)
		nearest[i] = (struct nearest){ .behind = UINT64_MAX };
	for (i = 0; i < symbols->nr; i++) {
		uint64_t start = symbols->list[i].start;

		at = count_below(asked, nr, start);
		if (at < nr && start > nearest[at].before)
			nearest[at].before = start;
		if (at && start < nearest[at - 1].behind)
			nearest[at - 1].behind = start;
	}
	for (i = 1; i < nr; i++)
		if (nearest[i].before < nearest[i - 1].before)
			nearest[i].before = nearest[i - 1].before;
	for (i = nr - 1; i > 0; i--)
		if (nearest[i - 1].behind > nearest[i].behind)
			nearest[i - 1].behind = nearest[i].behind;
	return nearest;
}

void symbols_keep_near(struct symbols *symbols, const uint64_t *asked,
		       size_t nr)
{
	struct nearest *nearest;
	size_t kept = 0, i, at;

	if (!nr || nr > symbols->nr / FEW)
		return;
	nearest = find_nearest(symbols, asked, nr);
	for (i = 0; i < symbols->nr; i++) {
		uint64_t start = symbols->list[i].start;

		at = count_below(asked, nr, start);
		if ((at < nr && nearest[at].before == start) ||
		    (at && nearest[at - 1].behind == start))
			symbols->list[kept++] = symbols->list[i];
	}
	symbols->nr = kept;
	free(nearest);
}
