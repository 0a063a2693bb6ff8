// SPDX-License-Identifier: MIT
/*
 * Reading the gmon.out of 4.4BSD, which the kernel writes: a header, counters
 * of 16 bits, and arcs.  All that has the size of a long is the program's word.
 */
#include <byteswap.h>
#include <string.h>

#include "prof.h"

#define VERSION	0x00051879

static size_t head_size(unsigned int word)
{
	return 2 * (size_t)word + 6 * sizeof(uint32_t);
}

static uint32_t version_of(const struct input *in, unsigned int word)
{
	uint32_t number;

	if (in->size < head_size(word))
		return 0;
	memcpy(&number, in->data + 2 * (size_t)word + sizeof(number), sizeof(number));
	return number;
}

bool bsdfile_is(const struct profile *profile, const struct input *in)
{
	unsigned int word;

	for (word = 4; word <= 8; word += 4) {
		if (bswap_32(version_of(in, word)) == VERSION)
			die("%s: from a machine of the other byte order",
			    in->name);
		if (version_of(in, word) == VERSION && word != profile->word)
			die("%s: of a %u-bit program: not of this one",
			    in->name, word * 8);
		if (version_of(in, word) == VERSION)
			return true;
	}
	return false;
}

void bsdfile_read(struct profile *profile, struct input *in)
{
	size_t head = head_size(profile->word);
	uint64_t low = input_word(in, profile->word);
	uint64_t high = input_word(in, profile->word);
	uint32_t size = input_u32(in);
	uint32_t hz, arcs;
	struct hist *hist;
	uint64_t self, nr;

	input_u32(in);
	hz = input_u32(in);
	arcs = input_u32(in);
	input_take(in, 2, sizeof(uint32_t));
	if (size < head || (size - head) % 2 || size > INT32_MAX)
		die("%s: damaged: %u bytes of header and counters", in->name,
		    size);
	hist = profile_add_hist(profile, in->name, hz);
	*hist = (struct hist){
		.low = low,
		.high = high,
		.num = high - low,
		.den = (size - head) / 2,
		.counters = input_take(in, (size - head) / 2, 2),
		.nr = (size - head) / 2,
		.width = 2,
		.source = in->source,
	};
	if (!hist_check(hist))
		die("%s: damaged: %llu counters for %#llx to %#llx", in->name,
		    (unsigned long long)hist->nr, (unsigned long long)low,
		    (unsigned long long)high);
	/* The systems of that time say nothing there. */
	if (arcs && arcs != in->size - in->at)
		die("%s: cut short or damaged: %zu bytes of arcs, not %u",
		    in->name, in->size - in->at, arcs);
	while (in->at < in->size) {
		input_word(in, profile->word);
		self = input_word(in, profile->word);
		nr = input_word(in, profile->word);
		if (nr)
			profile_add_calls(profile, in->source, self, nr);
	}
}
