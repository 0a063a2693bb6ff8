// SPDX-License-Identifier: MIT
/* Reading mon.out. */
#include <byteswap.h>
#include <string.h>

#include "monitor/monfile.h"
#include "prof.h"

static void check_head(const struct profile *profile,
		       const struct profil_monfile *head, const char *name)
{
	if (bswap_32(head->version) == PROFIL_MONFILE_VERSION)
		die("%s: from a machine of the other byte order", name);
	if (head->version != PROFIL_MONFILE_VERSION)
		die("%s: has version %u, this prof knows %u", name,
		    head->version, PROFIL_MONFILE_VERSION);
	if (head->word != 4 && head->word != 8)
		die("%s: damaged: addresses of %u bytes", name, head->word);
	if (head->word != profile->word)
		die("%s: of a %u-bit program: not of this one", name,
		    head->word * 8);
	if ((head->width != 2 && head->width != 4 && head->width != 8) ||
	    !head->scale || head->scale > 65536 * head->width ||
	    head->reserved)
		die("%s: damaged: width %u, scale %#x", name, head->width,
		    head->scale);
}

void monfile_read(struct profile *profile, struct input *in)
{
	struct profil_moncount count;
	struct profil_monfile head;
	const unsigned char *counts;
	struct hist *hist;
	uint64_t i;

	memcpy(&head, input_take(in, 1, sizeof(head)), sizeof(head));
	check_head(profile, &head, in->name);
	counts = input_take(in, head.ncnt, sizeof(count));
	hist = profile_add_hist(profile, in->name, head.hz);
	*hist = (struct hist){
		.low = head.lowpc,
		.high = head.highpc,
		.num = 65536ull * head.width,
		.den = head.scale,
		.counters = input_take(in, head.nbins, head.width),
		.nr = head.nbins,
		.width = head.width,
		.source = in->source,
	};
	if (!hist_check(hist))
		die("%s: damaged: %llu counters, scale %#x, for %#llx to %#llx",
		    in->name, (unsigned long long)hist->nr, head.scale,
		    (unsigned long long)hist->low,
		    (unsigned long long)hist->high);
	if (in->at != in->size)
		die("%s: damaged: %zu bytes too many", in->name,
		    in->size - in->at);
	for (i = 0; i < head.ncnt; i++) {
		memcpy(&count, counts + i * sizeof(count), sizeof(count));
		profile_add_calls(profile, in->source, count.pc, count.calls);
	}
}
