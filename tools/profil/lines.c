// SPDX-License-Identifier: MIT
/*
 * The lines of a profile's locations, object by object.
 *
 * Each object's Dwfl ends before the next begins, because the DWARF of a large
 * one takes most of the memory that there is to be used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "debug.h"
#include "disk.h"
#include "lines.h"
#include "naming.h"
#include "opened.h"
#include "rows.h"
#include "util.h"

static double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int by_address(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void resolve_opened(struct model *m, const struct opened *opened,
			   const uint32_t *ids, size_t nr)
{
	struct place *places = xcalloc(nr, sizeof(*places));
	size_t used = 0, i;
	GElf_Addr bias;
	Dwarf *dwarf;

	for (i = 0; i < nr; i++) {
		const struct location *loc = &m->locations[ids[i]];

		places[used] = (struct place){ .address = loc->address,
					       .location = ids[i], .node = -1 };
		/* A debug file does not have the segments of the object. */
		used += opened->is_debug ||
			disk_address(opened->elf, location_offset(m, loc),
				     &places[used].address);
	}
	dwarf = used ? dwfl_module_getdwarf(opened->module, &bias) : NULL;
	if (dwarf) {
		qsort(places, used, sizeof(*places), by_address);
		inline_resolve(m, dwarf, places, used);
	}
	free(places);
}

enum wanted { NAMES, LINES, LINES_QUIETLY };

/* ids are the locations of one object. */
static void resolve_object(struct model *m, const uint32_t *ids, size_t nr,
			   enum wanted wanted)
{
	const struct mapping *mapping =
		&m->mappings[m->locations[ids[0]].mapping];
	struct opened opened;
	char *why;

	if (!opened_begin(&opened, m, mapping, &why)) {
		if (why && wanted == LINES &&
		    (strstr(why, "not the file that ran") ||
		     strstr(why, "written after")))
			warn("%s; its lines are not shown", why);
		free(why);
		return;
	}
	naming_add(m, ids, nr, opened.fd, opened.is_debug ? NULL : opened.elf);
	if (wanted != NAMES)
		resolve_opened(m, &opened, ids, nr);
	opened_end(&opened);
}

static const struct model *sorted;

static int by_object(const void *a, const void *b)
{
	const struct mapping *x, *y;
	int order;

	x = &sorted->mappings[sorted->locations[*(const uint32_t *)a].mapping];
	y = &sorted->mappings[sorted->locations[*(const uint32_t *)b].mapping];
	order = strcmp(x->path, y->path);
	return order ? order : strcmp(x->build_id, y->build_id);
}

static void resolve_all(struct model *m, enum wanted wanted)
{
	uint32_t *ids = xcalloc(m->nr_locations + 1, sizeof(*ids));
	bool progress = isatty(STDERR_FILENO);
	double begin = seconds_now();
	size_t nr = 0, i, end;

	debug_may_fetch(wanted != NAMES);
	for (i = 1; i <= m->nr_locations; i++)
		if (m->locations[i].mapping)
			ids[nr++] = i;
	sorted = m;
	if (nr)
		qsort(ids, nr, sizeof(*ids), by_object);
	for (i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr; end++)
			if (by_object(&ids[i], &ids[end]))
				break;
		if (progress && seconds_now() - begin > 1)
			fprintf(stderr, "\rreading lines: %zu %% \r",
				100 * i / nr);
		resolve_object(m, ids + i, end - i, wanted);
	}
	if (progress && seconds_now() - begin > 1)
		fprintf(stderr, "\033[K");
	free(ids);
}

void lines_resolve(struct model *m, bool quiet)
{
	resolve_all(m, quiet ? LINES_QUIETLY : LINES);
}

void lines_names(struct model *m)
{
	resolve_all(m, NAMES);
}
