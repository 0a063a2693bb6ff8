// SPDX-License-Identifier: MIT
/*
 * Exporting one object to gmon.out: one histogram over the text with samples.
 *
 * Its counters have 16 bits.  If one does not fit, one count stands for several
 * samples, and the rate in the header is as many times lower, so that a
 * reader's seconds stay right.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disk.h"
#include "export.h"
#include "named.h"
#include "opened.h"
#include "rows.h"
#include "util.h"

#define BIN	2		/* bytes of text: gprof reads no finer ones */
#define MAX_BINS (256U << 20)

struct gmon {
	struct model *m;
	const char *object;
	uint64_t *addresses;	/* of each location; 0: not in the object */
	uint64_t *bins;		/* samples */
	uint64_t low, high;	/* multiples of BIN */
	size_t nr_bins;
	size_t word;		/* bytes of an address */
};

static bool is_object(const struct gmon *g, const struct mapping *mapping)
{
	return object_means(g->object, strlen(g->object), mapping->path);
}

/* The linker's address of a location, by the program headers of the file. */
static void find_addresses(struct gmon *g, uint32_t mapping)
{
	struct opened opened;
	const struct location *loc;
	char *why = NULL;
	uint32_t id;

	if (!opened_begin(&opened, g->m, &g->m->mappings[mapping], &why) ||
	    opened.is_debug)
		die(STATUS_USAGE, "%s: the addresses of a gmon.out are in the file that ran%s",
		    why ? why : g->m->mappings[mapping].path,
		    disk_hint(&g->m->mappings[mapping]));
	g->word = gelf_getclass(opened.elf) == ELFCLASS32 ? 4 : 8;
	for (id = 1; id <= g->m->nr_locations; id++) {
		loc = &g->m->locations[id];
		if (loc->mapping == mapping &&
		    !disk_address(opened.elf, location_offset(g->m, loc),
				  &g->addresses[id]))
			g->addresses[id] = 0;
	}
	opened_end(&opened);
}

/* The object, which is one file however many mappings it has. */
static void find_object(struct gmon *g)
{
	const char *path = NULL, *build_id = NULL;
	uint32_t id;

	for (id = 1; id <= g->m->nr_mappings; id++) {
		const struct mapping *mapping = &g->m->mappings[id];

		if (!is_object(g, mapping))
			continue;
		if (path && (path != mapping->path ||
			     build_id != mapping->build_id))
			die(STATUS_NOT_FOUND,
			    "%s may be %s or %s, or two builds: choose by the whole path, and export one profile",
			    g->object, path, mapping->path);
		path = mapping->path;
		build_id = mapping->build_id;
		find_addresses(g, id);
	}
	if (!path)
		die(STATUS_NOT_FOUND,
		    "%s has no samples in an object %s; profil report --by object lists those that it has",
		    *g->m->only ? g->m->only : "the profile", g->object);
}

static uint64_t leaf_address(const struct gmon *g, const struct sample *sample)
{
	return g->addresses[sample->locations[0]];
}

static void count_bins(struct gmon *g)
{
	uint64_t address;
	size_t i;

	g->low = UINT64_MAX;
	for (i = 0; i < g->m->nr_samples; i++) {
		address = leaf_address(g, &g->m->samples[i]) & ~(BIN - 1ULL);
		if (!address)
			continue;
		if (address < g->low)
			g->low = address;
		if (address >= g->high)
			g->high = address + BIN;
	}
	if (g->low >= g->high || (g->high - g->low) / BIN > MAX_BINS)
		die(STATUS_NOT_FOUND, "%s has %s for a gmon.out", g->object,
		    g->high ? "too much text" : "no samples of its own");
	g->nr_bins = (g->high - g->low) / BIN;
	g->bins = xcalloc(g->nr_bins, sizeof(*g->bins));
	for (i = 0; i < g->m->nr_samples; i++) {
		address = leaf_address(g, &g->m->samples[i]);
		if (address)
			g->bins[(address - g->low) / BIN] +=
				g->m->samples[i].count;
	}
}

/* The least divisor of the rate that makes all fit, or the least number. */
static uint64_t find_scale(const struct gmon *g)
{
	uint64_t most = 0, least, scale;
	size_t i;

	for (i = 0; i < g->nr_bins; i++)
		if (g->bins[i] > most)
			most = g->bins[i];
	least = (most + UINT16_MAX - 1) / UINT16_MAX;
	for (scale = least; scale && scale <= g->m->rate; scale++)
		if (g->m->rate % scale == 0)
			return scale;
	return least ? least : 1;
}

static void put_bytes(FILE *out, uint64_t value, size_t size)
{
	fwrite(&value, 1, size, out);
}

static void print_gmon(const struct gmon *g, uint64_t scale, FILE *out)
{
	uint64_t rate = g->m->rate / scale, samples = 0, written = 0, now;
	size_t i;

	fputs("gmon", out);
	put_bytes(out, 1, 4);
	for (i = 0; i < 12; i++)
		fputc(0, out);
	/* The tag of a histogram. */
	fputc(0, out);
	put_bytes(out, g->low, g->word);
	put_bytes(out, g->high, g->word);
	put_bytes(out, g->nr_bins, 4);
	put_bytes(out, rate ? rate : 1, 4);
	fwrite("seconds\0\0\0\0\0\0\0\0s", 1, 16, out);
	for (i = 0; i < g->nr_bins; i++) {
		/* What a division leaves over goes to the counters behind. */
		samples += g->bins[i];
		now = samples / scale - written;
		written += now;
		put_bytes(out, now, 2);
	}
}

void export_gmon(struct model *m, const char *object, FILE *out)
{
	struct gmon g = { .m = m, .object = object };
	uint64_t scale;

	g.addresses = xcalloc(m->nr_locations + 1, sizeof(*g.addresses));
	find_object(&g);
	count_bins(&g);
	scale = find_scale(&g);
	if (scale > 1)
		warn("a counter of 16 bits is too small: one count stands for %" PRIu64 " samples",
		     scale);
	print_gmon(&g, scale, out);
	free(g.addresses);
	free(g.bins);
}
