// SPDX-License-Identifier: MIT
/* Finding a function in call paths, and what stands beside it there. */
#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "named.h"
#include "util.h"

/* Samples by the number of a frame, each sample once. */
struct counter {
	struct count {
		uint64_t samples;
		size_t seen_by;	/* the last sample that was counted, + 1 */
	} *list;
	size_t nr;
};

static void count_in(struct counter *counter, uint32_t frame,
		     const struct sample *sample, size_t nr)
{
	while (counter->nr <= frame) {
		counter->list = xgrow(counter->list, counter->nr,
				      sizeof(*counter->list));
		counter->list[counter->nr++] = (struct count){ 0 };
	}
	if (counter->list[frame].seen_by == nr + 1)
		return;
	counter->list[frame].seen_by = nr + 1;
	counter->list[frame].samples += sample->count;
}

static struct counter count_all(struct frames *f)
{
	struct frame_list list = { 0 };
	struct counter counter = { 0 };
	size_t i, j;

	for (i = 0; i < f->m->nr_samples; i++) {
		frames_of_sample(f, &f->m->samples[i], &list);
		for (j = 0; j < list.nr; j++)
			count_in(&counter, f->list[list.ids[j]].function,
				 &f->m->samples[i], i);
	}
	free(list.ids);
	return counter;
}

/* Marks the functions of lines that have the linker's name. */
static void mark_lines(struct frames *f, const char *name, bool *marked)
{
	const struct function *function;
	const struct location *loc;
	const uint32_t *ids;
	uint32_t id;
	size_t i;

	for (id = 1; id <= f->m->nr_locations; id++) {
		loc = &f->m->locations[id];
		ids = frames_of_location(f, id);
		for (i = 0; i < loc->nr_lines; i++) {
			function = &f->m->functions[loc->lines[i].function];
			if (name_means(name, function->name,
				       function->system_name))
				marked[f->list[ids[i]].function] = true;
		}
	}
}

static int by_total_of(const void *a, const void *b)
{
	const struct candidate_frame *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

/* Adds those of an object, or (where it is NULL) of all. */
static struct candidate_frame *find_named(struct frames *f,
					  const struct counter *counter,
					  const char *object, size_t length,
					  const char *name, size_t *nr)
{
	struct candidate_frame *list = NULL;
	const struct frame *frame;
	uint32_t i, all;
	bool *marked;

	/* A location that is in no sample may still make some. */
	for (i = 1; i <= f->m->nr_locations; i++)
		frames_of_location(f, i);
	all = f->nr;
	marked = xcalloc(all, sizeof(*marked));
	mark_lines(f, name, marked);
	for (i = 1; i < all && i < counter->nr; i++) {
		frame = &f->list[i];
		if (frame->kind != FRAME_FUNCTION || !counter->list[i].samples ||
		    (!marked[i] && !name_means(name, frame->name, "")) ||
		    (object && !object_means(object, length, frame->object)))
			continue;
		list = xgrow(list, *nr, sizeof(*list));
		list[(*nr)++] = (struct candidate_frame){
			i, counter->list[i].samples
		};
	}
	free(marked);
	return list;
}

static struct candidate_frame *find_system_call(struct frames *f,
						const struct counter *counter,
						const char *name, size_t *nr)
{
	char *row = xasprintf("[system call] %s", name);
	struct candidate_frame *list = find_named(f, counter, NULL, 0, row, nr);

	free(row);
	return list;
}

struct candidate_frame *edges_find(struct frames *f, const char *name,
				   size_t *nr)
{
	struct counter counter = count_all(f);
	struct candidate_frame *list;
	const char *colon = name;

	/* Both parts may have colons, so each is tried; the whole first. */
	*nr = 0;
	list = find_named(f, &counter, NULL, 0, name, nr);
	while (!*nr && (colon = strchr(colon, ':'))) {
		list = find_named(f, &counter, name, colon - name, colon + 1,
				  nr);
		colon++;
	}
	if (!*nr)
		list = find_system_call(f, &counter, name, nr);
	if (*nr)
		qsort(list, *nr, sizeof(*list), by_total_of);
	free(counter.list);
	return list;
}

static void add_row(struct rows *rows, const char *name, const char *object,
		    uint64_t samples)
{
	rows->list = xgrow(rows->list, rows->nr, sizeof(*rows->list));
	rows->list[rows->nr++] = (struct row){
		.name = name, .object = object, .file = "",
		.self = samples, .total = samples,
	};
}

/* Where a path ends at the function, that is a row too. */
static void make_rows(struct rows *rows, const struct frames *f,
		      const struct counter *counter, const char *end,
		      uint64_t ends)
{
	const struct frame *frame;
	uint32_t i;

	for (i = 1; i < counter->nr; i++) {
		frame = &f->list[i];
		if (counter->list[i].samples)
			add_row(rows, frame->name, frame->object,
				counter->list[i].samples);
	}
	if (ends)
		add_row(rows, end, f->m->empty, ends);
	rows_sort(rows, false);
}

struct edges edges_make(struct frames *f, uint32_t function, bool callers)
{
	struct edges edges = { .function = &f->list[function] };
	struct counter counter = { 0 };
	struct frame_list list = { 0 };
	const struct sample *sample;
	uint64_t outermost = 0;
	size_t i, j, at;
	bool found;

	for (i = 0; i < f->m->nr_samples; i++) {
		sample = &f->m->samples[i];
		frames_of_sample(f, sample, &list);
		found = false;
		for (j = 0; j < list.nr; j++) {
			if (f->list[list.ids[j]].function != function)
				continue;
			found = true;
			if (!j)
				edges.self += sample->count;
			if (callers && j + 1 == list.nr)
				outermost += sample->count;
			at = callers ? j + 1 : j - 1;
			/* Below 0 it is the highest number. */
			if (at < list.nr)
				count_in(&counter, f->list[list.ids[at]].function,
					 sample, i);
		}
		if (found)
			edges.total += sample->count;
	}
	free(list.ids);
	edges.function = &f->list[function];
	make_rows(&edges.rows, f, &counter,
		  callers ? "[outermost]" : "[self]",
		  callers ? outermost : edges.self);
	free(counter.list);
	return edges;
}
