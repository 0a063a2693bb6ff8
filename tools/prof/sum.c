// SPDX-License-Identifier: MIT
/*
 * Writing mon.sum: the profiles of one program, as if of one long run.
 *
 * It has counters for all the text that any of the files has.  They must be as
 * wide as those of the first file, and begin at the same addresses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/monfile.h"
#include "prof.h"

#define NR_ALWAYS	(1u << 20)	/* counters that no file need have */

struct sum {
	const struct hist *first;
	const char *name;
	const struct symbols *symbols;
	uint64_t step;		/* bytes of text a counter, 0 if not whole */
	uint64_t low, high;
	uint64_t nr;
	uint64_t read;		/* counters in all files */
};

static uint64_t *counters;

static bool same_ratio(const struct hist *a, const struct hist *b)
{
	return (__uint128_t)a->num * b->den == (__uint128_t)b->num * a->den;
}

/* NULL, or why a histogram is not to be added. */
static const char *why_misfit(const struct sum *sum, const struct hist *hist)
{
	const struct hist *first = sum->first;
	uint64_t low = hist->low < sum->low ? hist->low : sum->low;
	uint64_t high = hist->high > sum->high ? hist->high : sum->high;
	uint64_t text = sum->symbols->high - sum->symbols->low;

	if (!same_ratio(hist, first))
		return "its counters are for more or less text each than those of";
	if (hist->low == first->low && hist->high == first->high &&
	    hist->nr == first->nr)
		return NULL;
	/* An odd end is a counter with less text than the others. */
	if (!sum->step || (hist->low - first->low) % sum->step)
		return "its counters begin at other addresses than those of";
	/* Memory is not to be taken for gaps that a damaged file claims. */
	if ((high - low) / sum->step >
	    NR_ALWAYS + 2 * sum->read + text / sum->step)
		return "its text is far from that of";
	return NULL;
}

/* The histograms of a file stand side by side, from the i-th on. */
static bool file_fits(struct sum *sum, const struct profile *profile, size_t i)
{
	const struct source *source = profile->hists[i].source;
	struct sum wider = *sum;
	const char *why;

	for (; i < profile->nr_hists; i++) {
		const struct hist *hist = &profile->hists[i];

		if (hist->source != source)
			break;
		why = why_misfit(&wider, hist);
		if (why) {
			complain("%s: not in %s: %s %s", source->name,
				 sum->name, why, sum->first->source->name);
			return false;
		}
		if (hist->low < wider.low)
			wider.low = hist->low;
		if (hist->high > wider.high)
			wider.high = hist->high;
	}
	*sum = wider;
	return true;
}

/* Files without a histogram, of calls alone, fit. */
static bool choose_bins(struct sum *sum, const struct profile *profile)
{
	bool all = true;
	size_t i;

	for (i = 0; i < profile->nr_hists; i++) {
		struct source *source = profile->hists[i].source;

		if (i && source == profile->hists[i - 1].source)
			continue;
		source->left_out = !file_fits(sum, profile, i);
		all &= !source->left_out;
	}
	return all;
}

static void add_hist(const struct sum *sum, const struct hist *hist)
{
	uint64_t at = sum->step ? (hist->low - sum->low) / sum->step : 0;
	uint64_t i, count;

	for (i = 0; i < hist->nr; i++) {
		count = hist_count(hist, i);
		if (counters[at + i] > UINT64_MAX - count)
			counters[at + i] = UINT64_MAX;
		else
			counters[at + i] += count;
	}
}

static void alloc_sum(struct sum *sum)
{
	sum->nr = sum->first->nr;
	if (sum->step)
		sum->nr = (sum->high - sum->low - 1) / sum->step + 1;
	counters = malloc(sum->nr * sizeof(*counters));
	if (!counters)
		die("%s: out of memory", sum->name);
	memset(counters, 0, sum->nr * sizeof(*counters));
}

static void put_bytes(FILE *file, const void *data, size_t size)
{
	/* What fails is asked for at the end. */
	fwrite(data, size, 1, file);
}

static void put_calls(FILE *file, const struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_calls; i++) {
		struct profil_moncount count = {
			profile->calls[i].pc, profile->calls[i].nr
		};

		if (!profile->calls[i].source->left_out)
			put_bytes(file, &count, sizeof(count));
	}
}

static void write_file(const struct sum *sum, const struct profile *profile,
		       const struct profil_monfile *head)
{
	FILE *file = fopen(sum->name, "we");
	bool failed;

	if (!file)
		die("%s: %s", sum->name, strerror(errno));
	put_bytes(file, head, sizeof(*head));
	put_calls(file, profile);
	fwrite(counters, sizeof(*counters), sum->nr, file);
	failed = ferror(file);
	if (fclose(file) != 0 || failed) {
		remove(sum->name);
		die("%s: could not be written", sum->name);
	}
}

/* A counter's bytes of text, by the format, are 65536 * 8 / scale. */
static uint32_t scale_of(const struct hist *hist, const char *name)
{
	__uint128_t bytes = (__uint128_t)65536 * 8 * hist->den;
	uint32_t scale = (uint32_t)(bytes / hist->num);

	if (!scale || (__uint128_t)scale * hist->num != bytes)
		die("no sum of %s: the format of %s does not have such counters",
		    hist->source->name, name);
	return scale;
}

bool sum_write(const struct profile *profile, const struct symbols *symbols,
	       const char *name)
{
	const struct hist *first = profile->hists;
	struct sum sum = { .first = first, .name = name, .symbols = symbols };
	struct profil_monfile head = {
		.magic = PROFIL_MONFILE_MAGIC,
		.version = PROFIL_MONFILE_VERSION,
		.word = profile->word,
		.width = 8,
		.hz = profile->hz,
	};
	size_t i;
	bool all;

	if (!profile->nr_hists)
		die("no histogram to write to %s", name);
	head.scale = scale_of(first, name);
	if (first->num % first->den == 0)
		sum.step = first->num / first->den;
	sum.low = first->low;
	sum.high = first->high;
	for (i = 0; i < profile->nr_hists; i++)
		sum.read += profile->hists[i].nr;
	all = choose_bins(&sum, profile);
	if (first->source->left_out)
		die("no sum of %s", first->source->name);
	alloc_sum(&sum);
	for (i = 0; i < profile->nr_hists; i++)
		if (!profile->hists[i].source->left_out)
			add_hist(&sum, &profile->hists[i]);
	for (i = 0; i < profile->nr_calls; i++)
		head.ncnt += !profile->calls[i].source->left_out;
	head.lowpc = sum.low;
	head.highpc = sum.high;
	head.nbins = sum.nr;
	write_file(&sum, profile, &head);
	return all;
}
