// SPDX-License-Identifier: GPL-2.0-only
/*
 * HP-UX's tables on /dev/profil: instructions that loop on the spot at the
 * first and the last place that a row gives to a counter, and at those next
 * to it.  For x86.
 */
#define _GNU_SOURCE
#define _HPUX_SOURCE
#include <profil.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hpux_tables.h"
#include "points.h"

/* The most text that three counters of a row have. */
#define TEXT_SIZE	(3 * 65536 * 4 + 4096)
#define LAPS		2000000L

/* Either way laps are in (e)cx. */
#ifdef __i386__
typedef void __attribute__((fastcall)) (*spot)(long laps);

static void spin(const void *at)
{
	((spot)(uintptr_t)at)(LAPS);
}
#else
typedef void (*spot)(long a, long b, long c, long laps);

static void spin(const void *at)
{
	((spot)(uintptr_t)at)(0, 0, 0, LAPS);
}
#endif

static unsigned char *text;
static uint64_t counters[16];

static uint64_t counted(unsigned int number, unsigned int width)
{
	if (width == 2)
		return ((volatile uint16_t *)counters)[number];
	if (width == 4)
		return ((volatile uint32_t *)counters)[number];
	return ((volatile uint64_t *)counters)[number];
}

static uint64_t sum(unsigned int width)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < sizeof(counters) / width; i++)
		n += counted(i, width);
	return n;
}

/*
 * loop to itself, as often as (e)cx says, then ret: all samples but one in
 * millions are at this pc, so most of three and more are.
 */
static bool counts_at(unsigned long pc, unsigned int number,
		      unsigned int width)
{
	static const unsigned char loop[] = { 0xe2, 0xfe, 0xc3 };
	unsigned char *at = text + pc;
	int tries = 300;

	memset(counters, 0, sizeof(counters));
	memcpy(at, loop, sizeof(loop));
	while (sum(width) < 3 && tries--)
		spin(at);
	if (sum(width) >= 3 && counted(number, width) * 2 > sum(width))
		return true;
	printf("# pc %#lx: %lu of %lu samples in counter %u\n", pc,
	       (unsigned long)counted(number, width), (unsigned long)sum(width),
	       number);
	return false;
}

static bool test_cell(const struct machine *machine, const struct row *row,
		      unsigned int column)
{
	static const unsigned int flags[] = {
		PROF_USHORT, PROF_UINT, PROF_UINT64
	};
	unsigned int width = 2u << column;
	unsigned int quarters = row->quarters[column];
	unsigned long instructions = quarters / 4;
	struct prof prof = { counters, sizeof(counters), text, row->scale };

	if (sprofil(&prof, 1, NULL, flags[column]) != 0)
		return false;
	if (!instructions)
		return counts_at(0, 0, width) &&
		       counts_at(machine->bytes, 4 / quarters, width);
	return counts_at(0, 0, width) &&
	       counts_at((instructions - 1) * machine->bytes, 0, width) &&
	       counts_at(instructions * machine->bytes, 1, width);
}

int main(void)
{
	unsigned int m, r, column;
	char name[80];

	text = mmap(NULL, TEXT_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED)
		abort();
	for (m = 0; m < 2; m++)
		for (r = 0; r < machines[m].nr_rows; r++) {
			const struct row *row = &machines[m].rows[r];
			bool good = true;

			for (column = 0; column < 3; column++)
				good = good && test_cell(&machines[m], row,
							 column);
			snprintf(name, sizeof(name), "%s: scale %u",
				 machines[m].name, row->scale);
			result(good, name);
		}
	sprofil(NULL, 0, NULL, PROF_USHORT);
	return finish();
}
