// SPDX-License-Identifier: MIT
/* Says what names the code that an interpreter or a JIT ran, where it is much. */
#include <stdlib.h>
#include <string.h>

#include "hints.h"
#include "rows.h"
#include "util.h"

#define MADE_MIN	10	/* percent of all samples */
#define SCRIPT_MIN	50

/* The samples of a mapping, and those of no function that is known by name. */
struct tally {
	uint64_t all, nameless;
};

static const struct interpreter {
	const char *begin;	/* of the file's name */
	const char *instead;
} interpreters[] = {
	{ "python", "py-spy" }, { "libpython", "py-spy" },
	{ "perl", "Devel::NYTProf" }, { "libperl", "Devel::NYTProf" },
	{ "ruby", "rbspy" }, { "libruby", "rbspy" },
};

/* Such a function is known as "object+0x1234", or as the kind of memory. */
static bool is_nameless(const struct model *m, const struct location *at)
{
	const char *path = m->mappings[at->mapping].path;
	const char *base = base_name(path);
	size_t length = strlen(base);
	const char *name;

	if (!at->nr_lines)
		return true;
	name = m->functions[at->lines[at->nr_lines - 1].function].name;
	return !strcmp(name, path) || (!strncmp(name, base, length) &&
				       !strncmp(name + length, "+0x", 3));
}

static struct tally *tally_up(const struct model *m, uint64_t *all)
{
	struct tally *tallies = xcalloc(m->nr_mappings + 1ul, sizeof(*tallies));
	const struct location *at;
	size_t i;

	*all = 0;
	for (i = 0; i < m->nr_samples; i++) {
		at = &m->locations[m->samples[i].locations[0]];
		*all += m->samples[i].count;
		tallies[at->mapping].all += m->samples[i].count;
		if (is_nameless(m, at))
			tallies[at->mapping].nameless += m->samples[i].count;
	}
	return tallies;
}

static void print_script(FILE *out, const struct model *m,
			 const struct tally *tallies, uint64_t all)
{
	const struct interpreter *known;
	const char *base;
	uint32_t i;
	size_t k;

	for (i = 1; i <= m->nr_mappings; i++) {
		base = base_name(m->mappings[i].path);
		for (k = 0; k < ARRAY_SIZE(interpreters); k++) {
			known = &interpreters[k];
			if (strncmp(base, known->begin, strlen(known->begin)) != 0 ||
			    tallies[i].all * 100 < all * SCRIPT_MIN)
				continue;
			fputs("note: ", out);
			text_print(out, base);
			fprintf(out, " runs a script: these are its own functions; %s shows the script's\n",
				known->instead);
			return;
		}
	}
}

static void print_made(FILE *out, const struct model *m,
		       const struct tally *tallies, uint64_t all)
{
	uint64_t made = 0;
	uint32_t i;

	for (i = 1; i <= m->nr_mappings; i++)
		if (!strcmp(m->mappings[i].path, "[anonymous]"))
			made += tallies[i].nameless;
	if (made * 100 >= all * MADE_MIN)
		fprintf(out, "note: %.1f %% are in code that a program made as it ran: a map names it, such as that of node --perf-basic-prof\n",
			100.0 * (double)made / (double)all);
}

/* What run and attach noted. */
static void print_notes(FILE *out, const struct model *m)
{
	size_t i;

	for (i = 0; i < m->nr_comments; i++) {
		if (strncmp(m->comments[i], "note: ", 6) != 0)
			continue;
		text_print(out, m->comments[i]);
		fputc('\n', out);
	}
}

void hints_print(FILE *out, const struct model *m)
{
	struct tally *tallies;
	uint64_t all;

	print_notes(out, m);
	tallies = tally_up(m, &all);
	if (all) {
		print_script(out, m, tallies, all);
		print_made(out, m, tallies, all);
	}
	free(tallies);
}

const char *hint_never_on(const struct books *books)
{
	if (!books->off_wall_ns || books->counted)
		return NULL;
	return "it was off until the end: --delay outlasts the program, or no command enabled it";
}
