// SPDX-License-Identifier: MIT
/* profil annotate: a function's source and instructions, with their shares. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate.h"
#include "commands.h"
#include "debug.h"
#include "disk.h"
#include "hash.h"
#include "lines.h"
#include "merge.h"
#include "named.h"
#include "opened.h"
#include "pprof.h"
#include "rows.h"
#include "symbols.h"
#include "util.h"

static const char usage[] =
	"usage: profil annotate [-i FILE]... [-n NUMBER] [OBJECT:]FUNCTION\n"
	"\n"
	"Prints the source and the instructions of FUNCTION, with the share of its\n"
	"samples that each has.\n"
	"\n"
	"  -i FILE        the profile (" PPROF_DEFAULT "); several are summed\n"
	"  -n NUMBER      which, where a list has shown several\n"
	ONLY_USAGE
	"  --debug-dir=DIR  look there first for files of another machine\n"
	"  --color=WHEN   auto, always or never\n"
	"  --help         this text\n";

/* A function that the name may mean: the one that has the code. */
struct candidate {
	uint32_t mapping;
	const char *name;
	uint64_t samples;
	bool inlined;		/* what was asked for, in this one */
};

struct search {
	struct model *m;
	const char *object;	/* or NULL */
	size_t object_length;
	const char *function;
	struct candidate *list;
	size_t nr;
	struct table *table;	/* of the list, each number + 1 */
};

/* The function that has the code of a location, if one there has the name. */
static const struct function *owner_of(const struct search *s,
				       const struct location *loc)
{
	const char *path = s->m->mappings[loc->mapping].path;
	const struct function *one;
	size_t i;

	for (i = 0; i < loc->nr_lines; i++) {
		one = &s->m->functions[loc->lines[i].function];
		if (name_means(s->function, one->name, one->system_name))
			break;
	}
	if (i == loc->nr_lines ||
	    (s->object && !object_means(s->object, s->object_length, path)))
		return NULL;
	return &s->m->functions[loc->lines[loc->nr_lines - 1].function];
}

static bool same_object(const struct model *m, uint32_t a, uint32_t b)
{
	return m->mappings[a].path == m->mappings[b].path &&
	       m->mappings[a].build_id == m->mappings[b].build_id;
}

static uint64_t candidate_hash(const struct search *s, uint32_t mapping,
			       const char *name)
{
	uint64_t hash = hash_pointer(hash_seed(), name);

	hash = hash_pointer(hash, s->m->mappings[mapping].path);
	return hash_pointer(hash, s->m->mappings[mapping].build_id);
}

static void add_sample(struct search *s, const struct sample *sample)
{
	const struct location *loc = &s->m->locations[sample->locations[0]];
	const struct function *owner = owner_of(s, loc);
	uint64_t hash, nr;
	size_t at = SIZE_MAX;

	if (!owner)
		return;
	hash = candidate_hash(s, loc->mapping, owner->name);
	while ((nr = table_next(s->table, hash, &at)))
		if (s->list[nr - 1].name == owner->name &&
		    same_object(s->m, s->list[nr - 1].mapping, loc->mapping))
			break;
	if (!nr) {
		s->list = xgrow(s->list, s->nr, sizeof(*s->list));
		s->list[s->nr++] = (struct candidate){
			loc->mapping, owner->name, 0,
			!name_means(s->function, owner->name,
				    owner->system_name)
		};
		nr = s->nr;
		table_add(s->table, hash, nr);
	}
	s->list[nr - 1].samples += sample->count;
}

static int by_samples(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->name, y->name);
}

/*
 * "OBJECT:FUNCTION" is split at each ':' in turn, because both may have some;
 * the whole is tried first.
 */
static void find_name(struct search *s, const char *name)
{
	const char *colon = name;
	size_t i;

	s->function = name;
	for (;;) {
		for (i = 0; i < s->m->nr_samples; i++)
			add_sample(s, &s->m->samples[i]);
		if (s->nr)
			break;
		colon = strchr(colon, ':');
		if (!colon)
			break;
		s->object = name;
		s->object_length = colon - name;
		s->function = ++colon;
	}
	if (s->nr)
		qsort(s->list, s->nr, sizeof(*s->list), by_samples);
}

static void print_candidates(const struct search *s, const char *name)
{
	size_t i;

	fflush(stdout);
	text_print(stderr, name);
	fputs(" may be one of these; choose with -n, or as OBJECT:FUNCTION:\n",
	      stderr);
	for (i = 0; i < s->nr; i++) {
		fprintf(stderr, "%3zu  ", i + 1);
		text_print(stderr, base_name(s->m->mappings[s->list[i].mapping]
					     .path));
		fputc(':', stderr);
		text_print(stderr, s->list[i].name);
		fprintf(stderr, "  (%" PRIu64 " sample%s)\n",
			s->list[i].samples, s->list[i].samples == 1 ? "" : "s");
	}
}

static struct heat *heat_of(const struct model *m, const struct candidate *c,
			    Elf *elf, size_t *nr)
{
	struct heat *list = NULL;
	size_t i;

	*nr = 0;
	for (i = 0; i < m->nr_samples; i++) {
		const struct sample *sample = &m->samples[i];
		const struct location *loc =
			&m->locations[sample->locations[0]];
		const struct line *last;
		uint64_t address;

		if (!loc->nr_lines || !same_object(m, loc->mapping, c->mapping))
			continue;
		last = &loc->lines[loc->nr_lines - 1];
		if (m->functions[last->function].name != c->name ||
		    !disk_address(elf, location_offset(m, loc), &address))
			continue;
		list = xgrow(list, *nr, sizeof(*list));
		list[(*nr)++] = (struct heat){ address, sample->count, 0 };
	}
	*nr = heat_sort(list, *nr);
	return list;
}

static void print_code(const struct code *code, const struct body *body,
		       const struct terminal *terminal)
{
	const char *file = NULL, *text;
	char *address;
	size_t i;
	int line = 0;

	printf("%8s  address  instruction\n", "self");
	for (i = 0; i < code->nr; i++) {
		const struct instruction *one = &code->list[i];
		double share = (double)one->samples / body->samples;

		if (one->file && (one->file != file || one->line != line)) {
			file = one->file;
			line = one->line;
			text = source_line(file, line);
			printf("%10s", "");
			text_print(stdout, base_name(file));
			printf(":%d  ", line);
			while (text && (*text == ' ' || *text == '\t'))
				text++;
			print_cut(stdout, text ? text : "",
				  terminal->width > 50 ? terminal->width - 50 :
							 0);
			putchar('\n');
		}
		if (one->samples)
			printf("%s%6.1f %%%s", heat_begin(terminal, share),
			       100 * share, heat_end(terminal, share));
		else
			printf("%8s", "");
		address = xasprintf("%" PRIx64, one->address);
		printf("  %7s  ", address);
		free(address);
		print_cut(stdout, one->text,
			  terminal->width > 30 ? terminal->width - 19 : 0);
		putchar('\n');
	}
}

static void print_body(const struct model *m, const struct candidate *c,
		       const char *wanted, const struct body *body, const struct code *code,
		       const struct terminal *terminal, time_t written)
{
	const char *name = names_readable(body->name);
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < m->nr_samples; i++)
		all += m->samples[i].count;
	text_print(stdout, name);
	fputs(" in ", stdout);
	text_print(stdout, m->mappings[c->mapping].path);
	printf(": %" PRIu64 " sample%s, %.1f %% of ", body->samples,
	       body->samples == 1 ? "" : "s", 100.0 * body->samples / (all ? all : 1));
	text_print(stdout, *m->only ? m->only : "all");
	putchar('\n');
	if (c->inlined) {
		text_print(stdout, wanted);
		fputs(" is inlined there, and these samples are those of all of ",
		      stdout);
		text_print(stdout, name);
		putchar('\n');
	}
	putchar('\n');
	source_print(code, body, terminal,
		     m->time_ns > 0 ? m->time_ns / 1000000000 : written);
	if (code->nr)
		print_code(code, body, terminal);
}

static int annotate_one(struct model *m, const struct candidate *c,
			const char *wanted, const struct terminal *terminal,
			time_t written)
{
	const struct mapping *mapping = &m->mappings[c->mapping];
	size_t nr = 0, nr_bodies = 0, i;
	struct opened opened;
	struct body *bodies;
	struct heat *heat;
	struct code code;
	char *why;
	int fd;

	fd = disk_open(m, mapping, &why);
	if (fd < 0)
		die(STATUS_USAGE, "%s%s", why, disk_hint(mapping));
	close(fd);
	if (!opened_begin(&opened, m, mapping, &why))
		die(STATUS_USAGE, "%s can't be read as an object",
		    mapping->path);
	heat = heat_of(m, c, opened.elf, &nr);
	bodies = bodies_of(opened.module, heat, nr, c->name, &nr_bodies);
	if (!nr_bodies)
		die(STATUS_USAGE, "%s has no code at the addresses of %s",
		    mapping->path, c->name);
	for (i = 0; i < nr_bodies; i++) {
		code = code_of(opened.fd, opened.module, &bodies[i], heat, nr, &why);
		if (why)
			warn("%s", why);
		if (i)
			putchar('\n');
		print_body(m, c, wanted, &bodies[i], &code, terminal, written);
		free(why);
		code_free(&code);
	}
	free(heat);
	free(bodies);
	opened_end(&opened);
	sources_free();
	output_done(stdout);
	return 0;
}

int cmd_annotate(int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "color", required_argument, NULL, 'c' },
		{ "debug-dir", required_argument, NULL, 'd' },
		ONLY_OPTION_OF("process", ONLY_PROCESS),
		ONLY_OPTION_OF("thread", ONLY_THREAD),
		ONLY_OPTION_OF("cgroup", ONLY_CGROUP),
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct inputs inputs = { 0 };
	enum color color = COLOR_AUTO;
	unsigned long number = 0;
	struct search s = { .table = xcalloc(1, sizeof(*s.table)),
			    .list = xcalloc(1, sizeof(*s.list)) };
	struct terminal terminal;
	time_t written;
	int opt, ret = STATUS_NOT_FOUND;

	while ((opt = getopt_long(argc, argv, "i:n:h", options, NULL)) != -1) {
		if (only_option(&inputs.only, opt, optarg))
			continue;
		switch (opt) {
		case 'i':
			inputs_add(&inputs, optarg);
			break;
		case 'n':
			number = number_option("-n", optarg);
			if (!number)
				die(STATUS_USAGE, "-n counts from 1");
			break;
		case 'c':
			color = color_option(optarg);
			break;
		case 'd':
			debug_search(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return STATUS_USAGE;
		}
	}
	if (argc - optind != 1) {
		fputs(usage, stderr);
		return STATUS_USAGE;
	}
	s.m = inputs_read(&inputs, &written);
	lines_resolve(s.m, true);
	find_name(&s, argv[optind]);
	terminal = terminal_of(stdout, color);
	if (!s.nr)
		warn("%s has no samples in a function %s, in its own code; profil report lists those that it has, and profil report --callers '%s' and --callees what called it and what it called",
		     inputs_name(&inputs), argv[optind], argv[optind]);
	else if (number > s.nr)
		warn("there is no function %s of number %lu: the highest is %zu",
		     argv[optind], number, s.nr);
	else if (s.nr > 1 && !number)
		print_candidates(&s, argv[optind]);
	else
		ret = annotate_one(s.m, &s.list[number ? number - 1 : 0],
				   s.function, &terminal, written);
	free(s.list);
	table_free(s.table);
	model_free(s.m);
	inputs_free(&inputs);
	return ret;
}
