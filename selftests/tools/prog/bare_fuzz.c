// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of text without an entry, of damaged and random instructions: bare_fuzz
 * FILE ROUNDS.  Rows ascend and lie within what was given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"

#define ADDRESS	0x1000
#define SIZE	520

static uint64_t last, end;
static unsigned long rows;

static void row(void *arg, uint64_t address,
		const struct profil_unwind_rule *rule)
{
	(void)arg;
	if (address < last || address >= end || rule->cfa < 8 || rule->cfa % 8 ||
	    rule->bp > 0 || -rule->bp > rule->cfa)
		abort();
	last = address;
	rows++;
}

static void damage(unsigned char *code, size_t n)
{
	size_t nr = rand() % 8;

	while (n && nr--)
		code[rand() % n] = rand();
}

int main(int argc, char **argv)
{
	static unsigned char text[1 << 20];
	long i, rounds = argc > 2 ? atol(argv[2]) : 0;
	FILE *file = fopen(argc > 1 ? argv[1] : "", "r");
	size_t have = file ? fread(text, 1, sizeof(text), file) : 0;

	if (have < SIZE)
		return 1;
	srand(1);
	for (i = 0; i < rounds; i++) {
		size_t n = rand() % SIZE, at = rand() % (have - n);
		unsigned char *code = malloc(n ? n : 1);

		/* Where a read behind the end is noticed. */
		memcpy(code, text + at, n);
		damage(code, n);
		last = ADDRESS;
		end = ADDRESS + n;
		if (bare_code(code, n, ADDRESS, row, NULL) > n)
			abort();
		free(code);
	}
	printf("%lu rows\n", rows);
	return !rows;
}
