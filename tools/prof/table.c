// SPDX-License-Identifier: MIT
/* The report: a line for each symbol. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof.h"

static int by_time(const void *one, const void *two)
{
	const struct symbol *a = one, *b = two;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (strcmp(a->name, b->name) != 0)
		return strcmp(a->name, b->name);
	return a->start < b->start ? -1 : a->start > b->start;
}

static int by_calls(const void *one, const void *two)
{
	const struct symbol *a = one, *b = two;

	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return by_time(one, two);
}

static void print_line(const struct symbol *symbol, double all, double sum,
		       uint32_t hz, bool raw)
{
	double seconds = symbol->samples / hz;

	printf("%6.1f %8.2f %8.2f", all > 0 ? 100 * symbol->samples / all : 0.0,
	       sum / hz, seconds);
	if (symbol->calls)
		printf(" %11llu %10.4f", (unsigned long long)symbol->calls,
		       1000 * seconds / (double)symbol->calls);
	else
		printf("%12s%11s", "", "");
	fputs("  ", stdout);
	name_print(stdout, symbol, raw);
	putchar('\n');
}

void table_print(struct symbols *symbols, uint32_t hz, enum order order,
		 bool zeros, bool raw)
{
	struct symbol *list;
	double all = 0, sum = 0;
	size_t nr, i;

	list = more(symbols->list, symbols->nr, sizeof(*list));
	symbols->list = list;
	nr = symbols->nr;
	if (symbols->none.samples > 0 || symbols->none.calls)
		list[nr++] = symbols->none;
	for (i = 0; i < nr; i++)
		all += list[i].samples;
	if (!(all > 0))
		complain("no time accumulated");
	if (order != BY_ADDRESS)
		qsort(list, nr, sizeof(*list),
		      order == BY_CALLS ? by_calls : by_time);
	puts(" %time  cumsecs  seconds       calls    ms/call  name");
	for (i = 0; i < nr; i++) {
		sum += list[i].samples;
		if (zeros || list[i].samples > 0 || list[i].calls)
			print_line(&list[i], all, sum, hz, raw);
	}
}
