// SPDX-License-Identifier: MIT
/*
 * The functions that the samples and the calls belong to.  A counter that has text of several
 * functions is shared out by how much it has of each.
 */
#include "prof.h"

/* The first that ends above address, or the number of them. */
static size_t find_symbol(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void share_out(struct symbols *symbols, uint64_t start, uint64_t end,
		      uint64_t samples)
{
	double each = (double)samples / (double)(end - start);
	uint64_t rest = end - start;
	size_t i;

	for (i = find_symbol(symbols, start); i < symbols->nr; i++) {
		struct symbol *symbol = &symbols->list[i];
		uint64_t from = symbol->start > start ? symbol->start : start;
		uint64_t to = symbol->end < end ? symbol->end : end;

		if (from >= end)
			break;
		symbol->samples += each * (double)(to - from);
		rest -= to - from;
	}
	symbols->none.samples += each * (double)rest;
}

/* Returns how many counters are full: their samples are too few. */
static uint64_t assign_hist(struct symbols *symbols, const struct hist *hist)
{
	uint64_t most = UINT64_MAX >> (64 - 8 * hist->width);
	uint64_t full = 0;
	uint64_t i;

	for (i = 0; i < hist->nr; i++) {
		uint64_t count = hist_count(hist, i);

		if (!count)
			continue;
		full += count == most && !hist->spread;
		share_out(symbols, hist_start(hist, i), hist_start(hist, i + 1),
			  count);
	}
	return full;
}

static struct symbol *owner_of(struct symbols *symbols, uint64_t pc)
{
	size_t i = find_symbol(symbols, pc);

	if (i < symbols->nr && symbols->list[i].start <= pc)
		return &symbols->list[i];
	return &symbols->none;
}

static void check_text(const struct symbols *symbols,
		       const struct profile *profile, const char *program)
{
	size_t i;

	for (i = 0; i < profile->nr_hists; i++)
		if (profile->hists[i].low < symbols->high &&
		    profile->hists[i].high > symbols->low)
			return;
	if (profile->nr_hists)
		die("the profile is not of %s: it is of %#llx to %#llx, the program's text is %#llx to %#llx",
		    program, (unsigned long long)profile->hists[0].low,
		    (unsigned long long)profile->hists[0].high,
		    (unsigned long long)symbols->low,
		    (unsigned long long)symbols->high);
}

void assign(struct symbols *symbols, const struct profile *profile,
	    const char *program)
{
	uint64_t full;
	size_t i;

	check_text(symbols, profile, program);
	for (i = 0; i < profile->nr_hists; i++) {
		full = assign_hist(symbols, &profile->hists[i]);
		if (full)
			complain("%s: %llu %s full: there the time was more",
				 profile->hists[i].source->name,
				 (unsigned long long)full,
				 full == 1 ? "counter is" : "counters are");
	}
	for (i = 0; i < profile->nr_calls; i++)
		owner_of(symbols, profile->calls[i].pc)->calls +=
			profile->calls[i].nr;
	if (!(symbols->none.samples > 0) && !symbols->none.calls)
		return;
	if (symbols->stripped)
		complain("%s is stripped: its debug file, or the program unstripped, has more names",
			 program);
	else
		complain("samples or calls where %s has no symbol: is it the program that ran?",
			 program);
}
