// SPDX-License-Identifier: MIT
/*
 * Exporting to callgrind's format.
 *
 * A function there is one that has code of its own.  What is inlined in it is
 * its cost at a line of another file, which fi= names, and fe= ends.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "path.h"
#include "rows.h"
#include "util.h"

struct code {
	const char *object, *file, *name;
	uint64_t seen_by;	/* the last sample that was called by another */
};

/* Where in a function: the innermost line, which may be of another file. */
struct site {
	uint32_t code;
	const char *file;
	int64_t line;
};

struct cost {
	struct site site;
	uint32_t callee;	/* or 0: of the function itself */
	bool elsewhere;		/* site.file is not that of the function */
	uint64_t samples;
};

struct grinder {
	struct model *m;
	bool ends_said;		/* by the labels of paths */
	struct code *codes;	/* [1] is the first */
	struct cost *costs;	/* as codes */
	size_t nr_codes, nr_costs;
	struct table *by_code, *by_cost;
	struct site *sites;	/* of one sample, leaf first */
	size_t nr_sites;
	bool *printed[3];	/* names of objects, files, functions */
	FILE *out;
};

static uint32_t code_get(struct grinder *g, const char *object,
			 const char *file, const char *name)
{
	uint64_t hash = hash_pointer(hash_seed(), object), id;
	size_t at = SIZE_MAX;
	const struct code *there;

	hash = hash_pointer(hash_pointer(hash, file), name);
	while ((id = table_next(g->by_code, hash, &at))) {
		there = &g->codes[id];
		if (there->object == object && there->file == file &&
		    there->name == name)
			return id;
	}
	id = ++g->nr_codes;
	g->codes = xgrow(g->codes, id, sizeof(*g->codes));
	g->codes[id] = (struct code){ object, file, name, 0 };
	table_add(g->by_code, hash, id);
	return id;
}

static void add_cost(struct grinder *g, const struct site *site,
		     uint32_t callee, uint64_t samples)
{
	uint64_t hash = hash_u64(hash_u64(hash_seed(), site->code), callee), id;
	size_t at = SIZE_MAX;
	struct cost *cost;

	hash = hash_u64(hash_pointer(hash, site->file), site->line);
	while ((id = table_next(g->by_cost, hash, &at))) {
		cost = &g->costs[id];
		if (cost->site.code == site->code && cost->callee == callee &&
		    cost->site.file == site->file &&
		    cost->site.line == site->line) {
			cost->samples += samples;
			return;
		}
	}
	id = ++g->nr_costs;
	g->costs = xgrow(g->costs, id, sizeof(*g->costs));
	g->costs[id] = (struct cost){
		*site, callee, site->file != g->codes[site->code].file, samples
	};
	table_add(g->by_cost, hash, id);
}

static void add_site(struct grinder *g, const char *object, const char *file,
		     const char *name)
{
	g->sites = xgrow(g->sites, g->nr_sites, sizeof(*g->sites));
	g->sites[g->nr_sites++] = (struct site){
		.code = code_get(g, object, file, name), .file = file
	};
}

static void add_location(struct grinder *g, const struct location *loc)
{
	const char *object = g->m->mappings[loc->mapping].path;
	const struct function *outer, *inner;
	struct site *site;

	if (!loc->nr_lines) {
		add_site(g, object, g->m->empty, unnamed(g->m, loc));
		return;
	}
	outer = &g->m->functions[loc->lines[loc->nr_lines - 1].function];
	inner = &g->m->functions[loc->lines[0].function];
	add_site(g, object, outer->file, outer->name);
	site = &g->sites[g->nr_sites - 1];
	if (*inner->file) {
		site->file = inner->file;
		site->line = loc->lines[0].line;
	}
}

/* What a sample was in, from the leaf to what stands for all. */
static void find_sites(struct grinder *g, const struct sample *sample)
{
	char *unseen = path_unseen_callers(sample, g->ends_said);
	struct model *m = g->m;
	size_t i;

	g->nr_sites = 0;
	if (sample_kernel(sample) >= 0)
		add_site(g, model_string(m, KERNEL_OBJECT), m->empty,
			 sample_kernel_name(m, sample));
	for (i = 0; i < sample->nr_locations; i++)
		add_location(g, &m->locations[sample->locations[i]]);
	if (unseen)
		add_site(g, m->empty, m->empty, model_string(m, unseen));
	free(unseen);
	add_site(g, m->empty, m->empty, model_string(m, "[all]"));
}

static void grind_sample(struct grinder *g, size_t nr)
{
	const struct sample *sample = &g->m->samples[nr];
	struct code *code;
	size_t i;

	find_sites(g, sample);
	add_cost(g, &g->sites[0], 0, sample->count);
	/* The outermost call of each function alone: readers add them up. */
	for (i = g->nr_sites - 1; i; i--) {
		code = &g->codes[g->sites[i - 1].code];
		if (code->seen_by == nr + 1)
			continue;
		code->seen_by = nr + 1;
		add_cost(g, &g->sites[i], g->sites[i - 1].code, sample->count);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;
	int order = 0;

	if (x->site.code != y->site.code)
		return x->site.code < y->site.code ? -1 : 1;
	if (x->elsewhere != y->elsewhere)
		return x->elsewhere ? 1 : -1;
	if (x->site.file != y->site.file)
		order = strcmp(x->site.file, y->site.file);
	if (!order && x->callee != y->callee)
		order = x->callee < y->callee ? -1 : 1;
	return order ? order : (x->site.line > y->site.line) -
			       (x->site.line < y->site.line);
}

enum name_kind { NAME_OBJECT, NAME_FILE, NAME_FUNCTION };

/* A name has a number, and is printed once. */
static void put_key(struct grinder *g, const char *key, enum name_kind kind,
		    const char *name)
{
	uint32_t nr = model_string_nr(name);

	fprintf(g->out, "%s=(%u)", key, nr + 1);
	if (!g->printed[kind][nr]) {
		g->printed[kind][nr] = true;
		fputc(' ', g->out);
		/* As callgrind calls what it does not know. */
		text_print(g->out, *name ? name : "???");
	}
	fputc('\n', g->out);
}

static void print_costs(struct grinder *g)
{
	const struct cost *cost = NULL, *before;
	const struct code *code, *callee;
	size_t i;

	for (i = 1; i <= g->nr_costs; i++) {
		before = cost;
		cost = &g->costs[i];
		code = &g->codes[cost->site.code];
		if (!before || before->site.code != cost->site.code) {
			fputc('\n', g->out);
			put_key(g, "ob", NAME_OBJECT, code->object);
			put_key(g, "fl", NAME_FILE, code->file);
			put_key(g, "fn", NAME_FUNCTION, code->name);
			before = NULL;
		}
		if (cost->elsewhere &&
		    (!before || before->site.file != cost->site.file))
			put_key(g, "fi", NAME_FILE, cost->site.file);
		if (cost->callee) {
			callee = &g->codes[cost->callee];
			put_key(g, "cob", NAME_OBJECT, callee->object);
			put_key(g, "cfi", NAME_FILE, callee->file);
			put_key(g, "cfn", NAME_FUNCTION, callee->name);
			fprintf(g->out, "calls=%" PRIu64 " 0\n", cost->samples);
		}
		fprintf(g->out, "%" PRId64 " %" PRIu64 "\n", cost->site.line,
			cost->samples);
		if (cost->elsewhere &&
		    (i == g->nr_costs ||
		     g->costs[i + 1].site.code != cost->site.code))
			put_key(g, "fe", NAME_FILE, code->file);
	}
}

static void print_head(const struct grinder *g)
{
	fputs("# callgrind format\nversion: 1\ncreator: profil " PROFIL_VERSION
	      "\ncmd: ", g->out);
	text_print(g->out, g->m->command);
	fputc('\n', g->out);
	if (g->m->rate)
		fprintf(g->out, "desc: Samples: %" PRIu64 " a second of CPU time\n",
			g->m->rate);
	if (*g->m->only) {
		fputs("desc: Only: ", g->out);
		text_print(g->out, g->m->only);
		fputc('\n', g->out);
	}
	fputs("desc: Calls: the samples in what was called, not a number of calls\n"
	      "positions: line\nevents: Samples\n", g->out);
}

void export_callgrind(struct model *m, FILE *out)
{
	struct grinder g = { .m = m, .out = out,
			     .ends_said = model_has_path_ends(m) };
	size_t i;

	g.by_code = xcalloc(1, sizeof(*g.by_code));
	g.by_cost = xcalloc(1, sizeof(*g.by_cost));
	g.codes = xcalloc(1, sizeof(*g.codes));
	g.costs = xcalloc(1, sizeof(*g.costs));
	for (i = 0; i < m->nr_samples; i++)
		grind_sample(&g, i);
	if (g.nr_costs)
		qsort(g.costs + 1, g.nr_costs, sizeof(*g.costs), by_place);
	for (i = 0; i < ARRAY_SIZE(g.printed); i++)
		g.printed[i] = xcalloc(m->nr_texts, sizeof(**g.printed));
	print_head(&g);
	print_costs(&g);
	fprintf(out, "\ntotals: %" PRIu64 "\n", model_samples(m));
	for (i = 0; i < ARRAY_SIZE(g.printed); i++)
		free(g.printed[i]);
	table_free(g.by_code);
	table_free(g.by_cost);
	free(g.codes);
	free(g.costs);
	free(g.sites);
}
