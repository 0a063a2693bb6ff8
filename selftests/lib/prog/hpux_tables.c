// SPDX-License-Identifier: GPL-2.0-only
/*
 * HP-UX's two tables of instructions that share a counter, row by row: each is
 * counted out over the region that sprofil() hands to the kernel.
 */
#define _HPUX_SOURCE
#include <profil.h>

#include "../../host/kernel.h"
#include "regions.h"
#include "hpux_tables.h"

#define TEXT	0x4000000UL

static u64 counters[4];

static u64 counter_of(u64 instruction, unsigned int bytes)
{
	return set_counter(TEXT + instruction * bytes);
}

/* The first counters, each with the first and the last of its instructions. */
static bool shared_by(u64 instructions, unsigned int bytes, unsigned int width)
{
	u64 base = (uintptr_t)counters;
	u64 i;

	for (i = 0; i < 3; i++)
		if (counter_of(i * instructions, bytes) != base + i * width ||
		    counter_of((i + 1) * instructions - 1, bytes) !=
		    base + i * width)
			return false;
	return counter_of(3 * instructions, bytes) == base + 3 * width;
}

/* Fewer than one: an instruction has a counter, and the next some further. */
static bool apart_by(u64 step, unsigned int bytes, unsigned int width)
{
	u64 base = (uintptr_t)counters;

	return counter_of(0, bytes) == base &&
	       (step == 4 ? !counter_of(1, bytes) :
			    counter_of(1, bytes) == base + step * width) &&
	       !counter_of(4 / step, bytes);
}

static void test_cell(const struct machine *machine, const struct row *row,
		      unsigned int column)
{
	static const unsigned int flags[] = {
		PROF_USHORT, PROF_UINT, PROF_UINT64
	};
	unsigned int width = 2u << column;
	unsigned int quarters = row->quarters[column];
	struct prof prof = {
		counters, 4 * width, (void *)TEXT, row->scale
	};
	char name[80];
	bool good;

	good = sprofil(&prof, 1, NULL, flags[column]) == 0;
	if (quarters >= 4)
		good = good && shared_by(quarters / 4, machine->bytes, width);
	else
		good = good && apart_by(4 / quarters, machine->bytes, width);
	snprintf(name, sizeof(name), "%s: scale %u, %u bits: %g instructions",
		 machine->name, row->scale, 8 * width, quarters / 4.0);
	report(name, good);
}

int main(void)
{
	unsigned int m, r, column;

	for (m = 0; m < 2; m++)
		for (r = 0; r < machines[m].nr_rows; r++)
			for (column = 0; column < 3; column++)
				test_cell(&machines[m], &machines[m].rows[r],
					  column);
	return finish();
}
