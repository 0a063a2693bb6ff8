// SPDX-License-Identifier: MIT
/* The views and the table of a profile as the picture's data. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "path.h"
#include "rows_out.h"
#include "tree.h"
#include "util.h"

/* More are not shown, because a browser draws no more either. */
#define MAX_ROWS	5000
/* Of a view; so that a page stays below 600 KiB. */
#define MAX_NODES	120000
/* A node below one of so many parts of all samples is folded. */
#define SMALL_PARTS	10000

static const char *const view_names[NR_VIEWS] = {
	[VIEW_PLACES] = "places",
	[VIEW_CALLS] = "calls",
	[VIEW_CALLERS] = "callers",
	[VIEW_PROCESSES] = "processes",
};

/* A number for each value, 0 at first. */
struct by_value {
	uint32_t *list;
	size_t room;
};

static uint32_t *at_value(struct by_value *by, uint32_t value)
{
	size_t room = 2 * (size_t)value + 64;

	if (value >= by->room) {
		by->list = realloc(by->list, room * sizeof(*by->list));
		if (!by->list)
			die(STATUS_USAGE, "out of memory");
		memset(by->list + by->room, 0,
		       (room - by->room) * sizeof(*by->list));
		by->room = room;
	}
	return &by->list[value];
}

/* Values are numbered in the order in which they are first printed. */
struct numbers {
	struct by_value index;	/* + 1; 0: not printed */
	uint32_t *list;
	uint32_t nr;
};

static uint32_t number_of(struct numbers *numbers, uint32_t value)
{
	uint32_t *index = at_value(&numbers->index, value);

	if (!*index) {
		numbers->list = xgrow(numbers->list, numbers->nr,
				      sizeof(*numbers->list));
		numbers->list[numbers->nr++] = value;
		*index = numbers->nr;
	}
	return *index - 1;
}

static void numbers_free(struct numbers *numbers)
{
	free(numbers->index.list);
	free(numbers->list);
}

/* Which frames were seen below which. */
struct pairs {
	struct pair {
		uint32_t above, below, nr;
	} *list;		/* [1] is the first */
	size_t size;
	struct by_value nr_below;
	struct table *table;
	struct numbers frames;	/* those that were printed */
};

/* The number of a pair that is there; 0: it is there from now on. */
static uint32_t pair_number(struct pairs *p, uint32_t above, uint32_t below)
{
	uint64_t hash = hash_u64(hash_u64(hash_seed(), above), below), nr;
	size_t at = SIZE_MAX;

	while ((nr = table_next(p->table, hash, &at)))
		if (p->list[nr].above == above && p->list[nr].below == below)
			return p->list[nr].nr;
	p->list = xgrow(p->list, ++p->size, sizeof(*p->list));
	nr = ++*at_value(&p->nr_below, above);
	p->list[p->size] = (struct pair){ above, below, nr };
	table_add(p->table, hash, p->size);
	return 0;
}

static void print_frames_of(struct pairs *p, const struct calls *calls,
			    FILE *out)
{
	uint32_t above[STACK_DEPTH + 2] = { 0 }, *new = NULL, i, next;
	size_t nr = 0;

	fputs("],\"next\":[", out);
	for (i = 0; i < calls->nr; i++) {
		const struct call *call = &calls->list[i];

		next = pair_number(p, above[call->depth], call->frame);
		above[call->depth + 1] = call->frame;
		fprintf(out, "%s%u", i ? "," : "", next);
		if (!next) {
			new = xgrow(new, nr, sizeof(*new));
			new[nr++] = number_of(&p->frames, call->frame);
		}
	}
	fputs("],\"new\":[", out);
	for (i = 0; i < nr; i++)
		fprintf(out, "%s%u", i ? "," : "", new[i]);
	free(new);
}

static void print_one_view(struct frames *f, enum view which, uint64_t least,
			   struct pairs *p, bool sides, FILE *out)
{
	struct stacks stacks = stacks_make(f, which);
	struct calls calls = calls_make(f, &stacks, least, MAX_NODES);
	uint32_t i;

	stacks_free(&stacks);
	fprintf(out, "\"%s\":{\"least\":%" PRIu64 ",\"up\":[0",
		view_names[which], calls.least);
	for (i = 1; i < calls.nr; i++)
		fprintf(out, ",%u", calls.list[i - 1].depth + 1 -
			calls.list[i].depth);
	print_frames_of(p, &calls, out);
	fputs("],\"self\":[", out);
	for (i = 0; i < calls.nr; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", calls.list[i].self);
	if (sides)
		fputs("],\"base\":[", out);
	for (i = 0; sides && i < calls.nr; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "",
			calls.list[i].base_self);
	fputs("]}", out);
	calls_free(&calls);
}

static bool has_processes(const struct model *m)
{
	const struct label *pid, *first;
	size_t i;

	first = m->nr_samples ? sample_label(&m->samples[0], LABEL_PID) : NULL;
	for (i = 0; i < m->nr_samples; i++) {
		pid = sample_label(&m->samples[i], LABEL_PID);
		if (pid && first && pid->num != first->num)
			return true;
	}
	return false;
}

static void print_views(struct frames *f, uint64_t samples, struct pairs *p,
			bool sides, FILE *out)
{
	uint64_t least = samples / SMALL_PARTS + !!(samples % SMALL_PARTS);
	bool paths = model_has_paths(f->m);

	fprintf(out, ",\"paths\":%s,\"v\":{", paths ? "true" : "false");
	if (paths) {
		print_one_view(f, VIEW_CALLS, least, p, sides, out);
		fputc(',', out);
		print_one_view(f, VIEW_CALLERS, least, p, sides, out);
		fputc(',', out);
	}
	/* Those of two sides are never the same. */
	if (paths && !sides && has_processes(f->m)) {
		print_one_view(f, VIEW_PROCESSES, least, p, sides, out);
		fputc(',', out);
	}
	/* Without paths, places of one sample are shown too. */
	print_one_view(f, VIEW_PLACES, paths ? least : 1, p, sides, out);
	fputc('}', out);
}

static void print_rows(const struct rows *rows, struct numbers *names,
		       FILE *out)
{
	size_t i;

	for (i = 0; i < rows->nr && i < MAX_ROWS; i++)
		fprintf(out, "%s[%u,%u,%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			number_of(names, model_string_nr(rows->list[i].name)),
			number_of(names, model_string_nr(rows->list[i].object)),
			rows->list[i].self, rows->list[i].total);
}

static void print_changes_of(struct model *m, const struct changes *changes,
			     struct numbers *names, FILE *out)
{
	const struct change *change;
	const char *name, *object;
	size_t i;

	for (i = 0; i < changes->nr && i < MAX_ROWS; i++) {
		change = &changes->list[i];
		name = model_string(m, change->name);
		object = model_string(m, change->object);
		fprintf(out, "%s[%u,%u,%.6f,%.6f,%d]", i ? "," : "",
			number_of(names, model_string_nr(name)),
			number_of(names, model_string_nr(object)),
			change->share[BASE], change->share[NEW],
			change->changed);
	}
}

static void print_frames(const struct frames *f, const struct numbers *frames,
			 struct numbers *names, FILE *out)
{
	const struct frame *frame;
	uint32_t i;

	for (i = 0; i < frames->nr; i++) {
		frame = &f->list[frames->list[i]];
		fprintf(out, "%s[%d,%u,%u]", i ? "," : "", frame->kind,
			number_of(names, model_string_nr(frame->name)),
			number_of(names, model_string_nr(frame->object)));
	}
}

void tree_json(struct model *m, const struct changes *changes, FILE *out)
{
	struct pairs pairs = { .list = xcalloc(1, sizeof(*pairs.list)),
			       .table = xcalloc(1, sizeof(*pairs.table)) };
	struct numbers names = { 0 };
	struct rows rows = rows_make(m, BY_FUNCTION);
	struct frames *f = frames_new(m);
	uint32_t i;

	fprintf(out, "{\"n\":%" PRIu64, !changes ? rows.samples :
				       changes->sides[NEW].samples);
	if (changes)
		fprintf(out, ",\"n0\":%" PRIu64, changes->sides[BASE].samples);
	print_views(f, rows.samples, &pairs, changes, out);
	fputs(",\"r\":[", out);
	if (changes)
		print_changes_of(m, changes, &names, out);
	else
		print_rows(&rows, &names, out);
	fputs("],\"f\":[", out);
	print_frames(f, &pairs.frames, &names, out);
	fputs("],\"s\":[", out);
	for (i = 0; i < names.nr; i++) {
		if (i)
			fputc(',', out);
		json_string(out, m->texts[names.list[i]]);
	}
	fputs("]}", out);
	numbers_free(&pairs.frames);
	numbers_free(&names);
	free(pairs.list);
	free(pairs.nr_below.list);
	table_free(pairs.table);
	frames_free(f);
	rows_free(&rows);
}
