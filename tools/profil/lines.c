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

#include "disk.h"
#include "lines.h"
#include "rows.h"
#include "util.h"

/* Seconds for all questions to debuginfod, and to one of them. */
#define FETCH_SECONDS	10

static double now(void)
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

static void resolve_module(struct model *m, Dwfl_Module *module,
			   const uint32_t *ids, size_t nr)
{
	struct place *places = xcalloc(nr, sizeof(*places));
	size_t used = 0, i;
	GElf_Addr bias;
	Dwarf *dwarf;
	Elf *elf;

	elf = dwfl_module_getelf(module, &bias);
	for (i = 0; elf && i < nr; i++) {
		uint64_t offset = location_offset(m, &m->locations[ids[i]]);

		places[used].location = ids[i];
		places[used].node = -1;
		used += disk_address(elf, offset, &places[used].address);
	}
	dwarf = used ? dwfl_module_getdwarf(module, &bias) : NULL;
	if (dwarf) {
		qsort(places, used, sizeof(*places), by_address);
		inline_resolve(m, dwarf, places, used);
	}
	free(places);
}

/* ids are the locations of one object. */
static void resolve_object(struct model *m, const uint32_t *ids, size_t nr,
			   bool quiet)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	const struct mapping *mapping =
		&m->mappings[m->locations[ids[0]].mapping];
	Dwfl_Module *module = NULL;
	Dwfl *dwfl;
	char *why;
	int fd;

	fd = disk_open(m, mapping, &why);
	if (fd < 0) {
		if (!quiet && (strstr(why, "not the file that ran") ||
			       strstr(why, "written after")))
			warn("%s; its lines are not shown", why);
		free(why);
		return;
	}
	dwfl = dwfl_begin(&callbacks);
	if (dwfl)
		module = dwfl_report_offline(dwfl, mapping->path,
					     mapping->path, fd);
	/* A descriptor that libdw took is libdw's to close. */
	if (!module)
		close(fd);
	if (module && !dwfl_report_end(dwfl, NULL, NULL))
		resolve_module(m, module, ids, nr);
	dwfl_end(dwfl);
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

void lines_resolve(struct model *m, bool quiet)
{
	uint32_t *ids = xcalloc(m->nr_locations + 1, sizeof(*ids));
	bool progress = isatty(STDERR_FILENO);
	double begin = now();
	size_t nr = 0, i, end;

	setenv("DEBUGINFOD_TIMEOUT", "10", 0);
	setenv("DEBUGINFOD_MAXTIME", "10", 0);
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
		if (now() - begin > FETCH_SECONDS)
			unsetenv("DEBUGINFOD_URLS");
		if (progress && now() - begin > 1)
			fprintf(stderr, "\rreading lines: %zu %% \r",
				100 * i / nr);
		resolve_object(m, ids + i, end - i, quiet);
	}
	if (progress && now() - begin > 1)
		fprintf(stderr, "\033[K");
	free(ids);
}
