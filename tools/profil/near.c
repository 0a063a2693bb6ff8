// SPDX-License-Identifier: MIT
/*
 * The symbols that decide what a few addresses are called: those that begin last
 * before each, and those that begin first behind it.  Sorting the others takes
 * longer than all else that a recording of a short program does.
 */
#include <elf.h>
#include <stdlib.h>

#include "elfs.h"
#include "near.h"

#define FEW	8	/* symbols for each address, or all are kept */

/* How many are below a limit. */
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

/* What begins last at or before each address, and first behind it. */
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
