// SPDX-License-Identifier: MIT
/*
 * Where each function ends.
 *
 * Symbols have a start, and most have a size; .eh_frame has both bounds, but no
 * name.  What is in neither has no name, rather than that of the function
 * before it.
 */
#include <stdlib.h>
#include <string.h>

#include "elfs.h"
#include "prof.h"

#define PADDING_MAX	63	/* bytes between two functions */

static int by_address(const void *one, const void *two)
{
	const struct symbol *a = one, *b = two;
	int order;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	order = strcmp(a->name, b->name);
	if (order || a->size == b->size)
		return order;
	return a->size > b->size ? -1 : 1;
}

static int by_start(const void *one, const void *two)
{
	const struct span *a = one, *b = two;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* One symbol an address; its size may be that of another name. */
static void unite_names(struct symbols *symbols)
{
	struct symbol *list = symbols->list;
	size_t nr = 0, i;

	qsort(list, symbols->nr, sizeof(*list), by_address);
	for (i = 0; i < symbols->nr; i++) {
		if (!nr || list[nr - 1].start != list[i].start)
			list[nr++] = list[i];
		else if (!list[nr - 1].size)
			list[nr - 1].size = list[i].size;
	}
	symbols->nr = nr;
}

/* The end of a symbol before the limit; around is the span that has it. */
static uint64_t end_of(const struct symbol *symbol, const struct span *around,
		       uint64_t limit, bool stripped)
{
	uint64_t end;

	if (symbol->size)
		end = symbol->start + least_of(symbol->size,
					       limit - symbol->start);
	else if (around)
		end = least_of(around->end, limit);
	else
		return stripped ? symbol->start : limit;
	if (stripped)
		return end;
	if (around && around->start == symbol->start && around->end > end)
		end = least_of(around->end, limit);
	return limit - end <= PADDING_MAX ? limit : end;
}

static void set_bounds(struct symbols *symbols, const struct spans *spans)
{
	struct symbol *list = symbols->list;
	size_t nr = 0, at = 0, i;

	for (i = 0; i < symbols->nr; i++) {
		const struct span *around = NULL;
		struct symbol symbol = list[i];
		uint64_t limit = symbol.end;

		while (at < spans->nr && spans->list[at].start <= symbol.start)
			at++;
		if (at && spans->list[at - 1].end > symbol.start)
			around = &spans->list[at - 1];
		if (i + 1 < symbols->nr)
			limit = least_of(limit, list[i + 1].start);
		/* A size says more than another function's frame inside it. */
		if (at < spans->nr &&
		    spans->list[at].start - symbol.start >= symbol.size)
			limit = least_of(limit, spans->list[at].start);
		symbol.end = end_of(&symbol, around, limit, symbols->stripped);
		if (symbol.end > symbol.start)
			list[nr++] = symbol;
	}
	symbols->nr = nr;
}

/* Both are in order, and that is a matter of one pass. */
static void merge_symbols(struct symbols *symbols, const struct symbols *others)
{
	size_t named = symbols->nr, left = others->nr, i;
	struct symbol *list;

	for (i = 0; i < left; i++)
		symbols_add(symbols, others->list[i]);
	list = symbols->list;
	while (left) {
		if (named && by_address(&list[named - 1],
					&others->list[left - 1]) > 0) {
			list[named + left - 1] = list[named - 1];
			named--;
		} else {
			list[named + left - 1] = others->list[left - 1];
			left--;
		}
	}
}

/* Spans that begin in no symbol are functions without a name. */
static void add_unnamed(struct symbols *symbols, const struct spans *spans)
{
	struct symbols unnamed = { 0 };
	size_t named = symbols->nr, at = 0, i;

	for (i = 0; i < spans->nr; i++) {
		uint64_t start = spans->list[i].start;
		uint64_t end = spans->list[i].end;

		while (at < named && symbols->list[at].end <= start)
			at++;
		if (at < named) {
			if (symbols->list[at].start <= start)
				continue;
			end = least_of(end, symbols->list[at].start);
		}
		if (i + 1 < spans->nr)
			end = least_of(end, spans->list[i + 1].start);
		if (end > start)
			symbols_add(&unnamed, (struct symbol){
				.start = start,
				.end = end,
				.name = symbols->object,
				.plus = start,
				.has_plus = true,
			});
	}
	merge_symbols(symbols, &unnamed);
	free(unnamed.list);
}

void settle(struct symbols *symbols, struct spans *spans)
{
	/* There may be no list. */
	if (spans->nr)
		qsort(spans->list, spans->nr, sizeof(*spans->list), by_start);
	if (symbols->nr) {
		unite_names(symbols);
		set_bounds(symbols, spans);
	}
	if (spans->nr)
		add_unnamed(symbols, spans);
}
