// SPDX-License-Identifier: MIT
/* Writing mon.sum: files mon.out of one program, as if of one long run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "monfile.h"
#include "prof.h"

static void put(FILE *file, const void *data, size_t size)
{
	/* What fails is asked for at the end. */
	fwrite(data, size, 1, file);
}

static void put_counters(FILE *file, const struct profile *profile)
{
	uint64_t i, sum, count;
	size_t j;

	for (i = 0; i < profile->hists[0].nr; i++) {
		sum = 0;
		for (j = 0; j < profile->nr_hists; j++) {
			count = hist_count(&profile->hists[j], i);
			sum = sum + count < sum ? UINT64_MAX : sum + count;
		}
		put(file, &sum, sizeof(sum));
	}
}

/* In all of them a counter must have the same text. */
static void check(const struct profile *profile)
{
	const struct hist *first = &profile->hists[0];
	size_t i;

	for (i = 0; i < profile->nr_hists; i++) {
		const struct hist *hist = &profile->hists[i];

		if (hist->low != first->low || hist->high != first->high ||
		    hist->nr != first->nr ||
		    (__uint128_t)hist->num * first->den !=
		    (__uint128_t)first->num * hist->den)
			die("no sum of profiles over different text or with different counters");
	}
}

void sum_write(const struct profile *profile, const char *name)
{
	const struct hist *hist = profile->hists;
	struct profil_monfile head = {
		.magic = PROFIL_MONFILE_MAGIC,
		.version = PROFIL_MONFILE_VERSION,
		.word = profile->word,
		.ncnt = profile->nr_calls,
		.width = 8,
		.hz = profile->hz,
	};
	FILE *file;
	size_t i;

	if (!profile->nr_hists)
		die("no histogram to write to %s", name);
	check(profile);
	head.lowpc = hist->low;
	head.highpc = hist->high;
	head.nbins = hist->nr;
	head.scale = (uint32_t)((__uint128_t)65536 * 8 * hist->den /
				hist->num);
	if ((__uint128_t)head.scale * hist->num !=
	    (__uint128_t)65536 * 8 * hist->den)
		die("no sum of these profiles: use gprof -s");
	file = fopen(name, "we");
	if (!file)
		die("%s: %s", name, strerror(errno));
	put(file, &head, sizeof(head));
	for (i = 0; i < profile->nr_calls; i++) {
		struct profil_moncount count = {
			profile->calls[i].pc, profile->calls[i].nr
		};

		put(file, &count, sizeof(count));
	}
	put_counters(file, profile);
	i = (size_t)ferror(file);
	if (fclose(file) != 0 || i) {
		remove(name);
		die("%s: could not be written", name);
	}
}
