// SPDX-License-Identifier: MIT
/* A profile: the histograms and calls of one file or several. */
#include <stdlib.h>
#include <string.h>

#include "monitor/monfile.h"
#include "prof.h"

#define HZ_MAX	1000000

void profile_read(struct profile *profile, const char *name)
{
	struct input in = input_read(name);

	in.source = malloc(sizeof(*in.source));
	if (!in.source)
		die("%s: out of memory", name);
	*in.source = (struct source){ .name = name };
	if (in.size == 0)
		die("%s: empty: the program could not write it", name);
	if (in.size >= 8 && !memcmp(in.data, PROFIL_MONFILE_MAGIC, 8))
		monfile_read(profile, &in);
	else if (in.size >= 4 && !memcmp(in.data, "gmon", 4))
		gmonfile_read(profile, &in);
	else if (bsdfile_is(profile, &in))
		bsdfile_read(profile, &in);
	else
		die("%s: neither a mon.out nor a gmon.out", name);
}

struct hist *profile_add_hist(struct profile *profile, const char *name,
			      uint32_t hz)
{
	if (!hz || hz > HZ_MAX)
		die("%s: damaged: %u samples a second", name, hz);
	if (profile->hz && profile->hz != hz)
		die("%s: has %u samples a second, what was read before has %u",
		    name, hz, profile->hz);
	profile->hz = hz;
	profile->hists = more(profile->hists, profile->nr_hists,
			      sizeof(*profile->hists));
	return &profile->hists[profile->nr_hists++];
}

void profile_add_calls(struct profile *profile, struct source *source,
		       uint64_t pc, uint64_t nr)
{
	profile->calls = more(profile->calls, profile->nr_calls,
			      sizeof(*profile->calls));
	profile->calls[profile->nr_calls++] =
		(struct calls){ .pc = pc, .nr = nr, .source = source };
}

uint64_t hist_count(const struct hist *hist, uint64_t counter)
{
	const unsigned char *from = hist->counters + counter * hist->width;
	uint16_t narrow;
	uint32_t middle;
	uint64_t wide;

	switch (hist->width) {
	case 2:
		memcpy(&narrow, from, sizeof(narrow));
		return narrow;
	case 4:
		memcpy(&middle, from, sizeof(middle));
		return middle;
	default:
		memcpy(&wide, from, sizeof(wide));
		return wide;
	}
}

/* The lowest address that counts there. */
uint64_t hist_start(const struct hist *hist, uint64_t counter)
{
	__uint128_t bytes = (__uint128_t)counter * hist->num;
	uint64_t start = (uint64_t)((bytes + hist->den - 1) / hist->den);

	if (start > hist->high - hist->low)
		return hist->high;
	return hist->low + start;
}

/* All of the text has counters, and each counter has text. */
bool hist_check(const struct hist *hist)
{
	return hist->high > hist->low && hist->den && hist->nr &&
	       hist_start(hist, hist->nr - 1) < hist->high &&
	       hist_start(hist, hist->nr) == hist->high;
}

double profile_samples(const struct profile *profile)
{
	double samples = 0;
	uint64_t i;
	size_t j;

	for (j = 0; j < profile->nr_hists; j++)
		for (i = 0; i < profile->hists[j].nr; i++)
			samples += (double)hist_count(&profile->hists[j], i);
	return samples;
}
