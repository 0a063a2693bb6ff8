// SPDX-License-Identifier: MIT
/*
 * Reading gmon.out, the C library's or libprofil's: histogram records, and
 * arcs.  The count of an arc is calls of the function at its end.
 */
#include <byteswap.h>
#include <string.h>

#include "prof.h"

#define VERSION		1
#define SPARE		12
#define TAG_HIST	0
#define TAG_ARC		1
#define DIMENSION	16	/* the name of the unit, and its sign */

/* Of records over one range the last has the rest of the samples. */
static void mark_spread(struct profile *profile)
{
	struct hist *last = &profile->hists[profile->nr_hists - 1];

	if (profile->nr_hists > 1 && last[-1].source == last->source &&
	    last[-1].low == last->low && last[-1].high == last->high &&
	    last[-1].nr == last->nr)
		last[-1].spread = true;
}

static void read_hist(struct profile *profile, struct input *in, bool first)
{
	uint64_t low = input_word(in, profile->word);
	uint64_t high = input_word(in, profile->word);
	uint32_t nr = input_u32(in);
	uint32_t hz = input_u32(in);
	struct hist *hist;

	input_take(in, 1, DIMENSION);
	if (!nr && low == high)
		return;
	hist = profile_add_hist(profile, in->name, hz);
	*hist = (struct hist){
		.low = low,
		.high = high,
		.num = high - low,
		.den = nr,
		.counters = input_take(in, nr, 2),
		.nr = nr,
		.width = 2,
		.source = in->source,
	};
	if (!hist_check(hist))
		die("%s: damaged: %u counters for %#llx to %#llx", in->name, nr,
		    (unsigned long long)low, (unsigned long long)high);
	if (!first)
		mark_spread(profile);
}

static void read_arc(struct profile *profile, struct input *in)
{
	uint64_t self;

	input_word(in, profile->word);
	self = input_word(in, profile->word);
	profile_add_calls(profile, in->source, self, input_u32(in));
}

void gmonfile_read(struct profile *profile, struct input *in)
{
	size_t before = profile->nr_hists;
	uint32_t version;

	input_take(in, 1, 4);
	version = input_u32(in);
	if (bswap_32(version) == VERSION)
		die("%s: from a machine of the other byte order", in->name);
	if (version != VERSION)
		die("%s: has version %u, this prof knows %u", in->name, version,
		    VERSION);
	input_take(in, 1, SPARE);
	while (in->at < in->size) {
		unsigned char tag = *(const unsigned char *)
				    input_take(in, 1, 1);

		if (tag == TAG_HIST)
			read_hist(profile, in, profile->nr_hists == before);
		else if (tag == TAG_ARC)
			read_arc(profile, in);
		else
			die("%s: damaged, or of a program of another word size: record of kind %u",
			    in->name, tag);
	}
}
