// SPDX-License-Identifier: MIT
/* Frames of samples: each a number, so that paths are compared as bytes. */
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "merge.h"
#include "owner.h"
#include "path.h"
#include "rows.h"
#include "util.h"

static uint32_t frame_get(struct frames *f, enum frame_kind kind,
			  const char *name, const char *object)
{
	uint64_t hash = hash_u64(hash_seed(), kind), id;
	size_t at = SIZE_MAX;
	struct frame *frame;
	uint32_t function;

	hash = hash_pointer(hash_pointer(hash, name), object);
	while ((id = table_next(f->table, hash, &at))) {
		frame = &f->list[id];
		if (frame->kind == kind && frame->name == name &&
		    frame->object == object)
			return id;
	}
	/* The one that is not inlined has the lower number. */
	function = kind == FRAME_INLINED ?
		   frame_get(f, FRAME_FUNCTION, name, object) : f->nr;
	id = f->nr++;
	f->list = xgrow(f->list, id, sizeof(*f->list));
	f->list[id] = (struct frame){ kind, name, object, function };
	table_add(f->table, hash, id);
	return id;
}

struct frames *frames_new(struct model *m)
{
	struct frames *f = xcalloc(1, sizeof(*f));

	f->m = m;
	f->ends_said = model_has_path_ends(m);
	f->table = xcalloc(1, sizeof(*f->table));
	f->first = xcalloc(m->nr_locations + 1, sizeof(*f->first));
	/* The root is in no table, where 0 is a free slot. */
	f->list = xcalloc(1, sizeof(*f->list));
	f->list[f->nr++] = (struct frame){
		FRAME_ROOT, model_string(m, "all"), m->empty, 0
	};
	f->small = frame_get(f, FRAME_SMALL, model_string(m, "[small]"),
			     m->empty);
	f->deeper = frame_get(f, FRAME_DEEPER, model_string(m, "[deeper]"),
			      m->empty);
	/* No location begins at 0, which says that it is not made yet. */
	f->ids = xgrow(f->ids, f->nr_ids++, sizeof(*f->ids));
	return f;
}

void frames_free(struct frames *f)
{
	table_free(f->table);
	free(f->list);
	free(f->first);
	free(f->ids);
	free(f);
}

static void add_id(struct frames *f, uint32_t id)
{
	f->ids = xgrow(f->ids, f->nr_ids, sizeof(*f->ids));
	f->ids[f->nr_ids++] = id;
}

static const char *object_of(const struct model *m, const struct location *loc)
{
	return m->mappings[loc->mapping].path;
}

const uint32_t *frames_of_location(struct frames *f, uint32_t location)
{
	const struct location *loc = &f->m->locations[location];
	const char *object = object_of(f->m, loc), *name;
	size_t i;

	if (f->first[location])
		return f->ids + f->first[location];
	f->first[location] = f->nr_ids;
	if (!loc->nr_lines)
		add_id(f, frame_get(f, FRAME_FUNCTION, unnamed(f->m, loc),
				    object));
	for (i = 0; i < loc->nr_lines; i++) {
		name = f->m->functions[loc->lines[i].function].name;
		add_id(f, frame_get(f, i + 1 < loc->nr_lines ? FRAME_INLINED :
				    FRAME_FUNCTION, name, object));
	}
	return f->ids + f->first[location];
}

static void list_add(struct frame_list *list, uint32_t id)
{
	list->ids = xgrow(list->ids, list->nr, sizeof(*list->ids));
	list->ids[list->nr++] = id;
}

static uint32_t kernel_frame(struct frames *f, const struct sample *sample)
{
	return frame_get(f, FRAME_FUNCTION, sample_kernel_name(f->m, sample),
			 model_string(f->m, KERNEL_OBJECT));
}

void frames_of_sample(struct frames *f, const struct sample *sample,
		      struct frame_list *list)
{
	char *unseen = path_unseen_callers(sample, f->ends_said);
	const struct location *loc;
	const uint32_t *ids;
	size_t i, j;

	list->nr = 0;
	if (sample_kernel(sample) >= 0)
		list_add(list, kernel_frame(f, sample));
	for (i = 0; i < sample->nr_locations; i++) {
		loc = &f->m->locations[sample->locations[i]];
		ids = frames_of_location(f, sample->locations[i]);
		for (j = 0; j < loc->nr_lines || !j; j++)
			list_add(list, ids[j]);
	}
	if (unseen)
		list_add(list, frame_get(f, FRAME_END,
					 model_string(f->m, unseen),
					 f->m->empty));
	free(unseen);
}

/* The line that a location stands at: "file.c:12". */
static uint32_t line_frame(struct frames *f, const struct line *line)
{
	const char *file = f->m->functions[line->function].file;
	char *text = xasprintf("%s:%lld", base_name(file),
			       (long long)line->line);
	uint32_t id = frame_get(f, FRAME_LINE, model_string(f->m, text),
				f->m->empty);

	free(text);
	return id;
}

/* Object, file and line stand beside the functions of a location. */
_Static_assert(LINES_MAX + 3 <= STACK_DEPTH, "VIEW_PLACES is not cut");

static void add_place(struct frames *f, const struct sample *sample,
		      struct frame_list *list)
{
	uint32_t location = sample->locations[0];
	const struct location *loc = &f->m->locations[location];
	const char *object = object_of(f->m, loc), *file;
	size_t i = loc->nr_lines ? loc->nr_lines : 1;
	bool kernel = sample_kernel(sample) >= 0;
	const uint32_t *ids;

	if (kernel)
		object = model_string(f->m, KERNEL_OBJECT);
	else if (!*object)
		object = model_string(f->m, "[no object]");
	list_add(list, frame_get(f, FRAME_OBJECT, object, f->m->empty));
	if (kernel) {
		list_add(list, kernel_frame(f, sample));
		return;
	}
	ids = frames_of_location(f, location);
	if (loc->nr_lines) {
		file = f->m->functions[loc->lines[i - 1].function].file;
		if (*file)
			list_add(list, frame_get(f, FRAME_FILE, file,
						 f->m->empty));
	}
	while (i--)
		list_add(list, ids[i]);
	if (loc->nr_lines && loc->lines[0].line)
		list_add(list, line_frame(f, &loc->lines[0]));
}

/* A program with more processes has one frame for all of them. */
#define MAX_PROCESSES	16

/* The processes of each program, by the number of its frame. */
struct processes {
	uint32_t *nr;
	uint32_t size;
};

static uint32_t program_frame(struct frames *f, const struct sample *sample)
{
	return frame_get(f, FRAME_PROGRAM, owner_program(f->m, sample),
			 f->m->empty);
}

static uint32_t process_frame(struct frames *f, const struct sample *sample,
			      uint32_t program)
{
	const struct label *pid = sample_label(sample, LABEL_PID);
	const char *name = f->list[program].name;
	char *text = xasprintf("%s (%lld)", name, pid ? (long long)pid->num :
							0LL);
	uint32_t id = frame_get(f, FRAME_PROCESS, model_string(f->m, text),
				name);

	free(text);
	return id;
}

static struct processes processes_count(struct frames *f)
{
	struct processes p = { 0 };
	uint32_t program, before;
	size_t i;

	for (i = 0; i < f->m->nr_samples; i++) {
		program = program_frame(f, &f->m->samples[i]);
		while (p.size <= program) {
			p.nr = xgrow(p.nr, p.size, sizeof(*p.nr));
			p.nr[p.size++] = 0;
		}
		before = f->nr;
		process_frame(f, &f->m->samples[i], program);
		p.nr[program] += f->nr > before;
	}
	return p;
}

static void add_process(struct frames *f, const struct processes *p,
			const struct sample *sample, struct frame_list *list)
{
	uint32_t program = program_frame(f, sample);
	char *text;

	list_add(list, program);
	if (p->nr[program] <= MAX_PROCESSES) {
		list_add(list, process_frame(f, sample, program));
		return;
	}
	text = xasprintf("%u processes", p->nr[program]);
	list_add(list, frame_get(f, FRAME_PROCESS, model_string(f->m, text),
				 f->list[program].name));
	free(text);
}

/* At most STACK_DEPTH of a path, leaf first, outermost first if so wanted. */
static void add_path(struct frames *f, const struct frame_list *path,
		     bool outermost, struct frame_list *list)
{
	size_t nr = path->nr, i;

	for (i = 0; i < nr && list->nr < STACK_DEPTH; i++)
		list_add(list, path->ids[outermost ? nr - 1 - i : i]);
	if (i < nr)
		list->ids[STACK_DEPTH - 1] = f->deeper;
}

static int by_bytes(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;
	size_t nr = x->nr < y->nr ? x->nr : y->nr;
	int order = memcmp(x->ids, y->ids, nr * sizeof(*x->ids));

	return order ? order : (x->nr > y->nr) - (x->nr < y->nr);
}

/* Of each only its length is known so far. */
static void sort_stacks(struct stacks *stacks, uint32_t *ids)
{
	size_t i, at = 0;

	stacks->ids = ids;
	for (i = 0; i < stacks->nr; i++) {
		stacks->list[i].ids = ids + at;
		at += stacks->list[i].nr;
	}
	if (stacks->nr)
		qsort(stacks->list, stacks->nr, sizeof(*stacks->list), by_bytes);
}

static void count_side(struct stack *stack, const struct sample *sample)
{
	const struct label *side = sample_label(sample, LABEL_SIDE);

	if (side && side->str && !strcmp(side->str, SIDE_BASE))
		stack->base = sample->count;
	else
		stack->count = sample->count;
}

struct stacks stacks_make(struct frames *f, enum view view)
{
	struct frame_list path = { 0 }, all = { 0 }, one = { 0 };
	struct processes processes = { 0 };
	struct stacks stacks = { 0 };
	const struct sample *sample;
	size_t i, j;

	if (view == VIEW_PROCESSES)
		processes = processes_count(f);
	stacks.nr = f->m->nr_samples;
	stacks.list = xcalloc(stacks.nr + 1, sizeof(*stacks.list));
	for (i = 0; i < stacks.nr; i++) {
		sample = &f->m->samples[i];
		one.nr = 0;
		if (view == VIEW_PLACES) {
			add_place(f, sample, &one);
		} else {
			if (view == VIEW_PROCESSES)
				add_process(f, &processes, sample, &one);
			frames_of_sample(f, sample, &path);
			add_path(f, &path, view != VIEW_CALLERS, &one);
		}
		for (j = 0; j < one.nr; j++)
			list_add(&all, one.ids[j]);
		stacks.list[i].nr = one.nr;
		count_side(&stacks.list[i], sample);
	}
	sort_stacks(&stacks, all.ids);
	free(processes.nr);
	free(path.ids);
	free(one.ids);
	return stacks;
}

struct stacks stacks_whole(struct frames *f)
{
	struct frame_list path = { 0 }, all = { 0 };
	struct stacks stacks = { .nr = f->m->nr_samples };
	size_t i, j;

	stacks.list = xcalloc(stacks.nr + 1, sizeof(*stacks.list));
	for (i = 0; i < stacks.nr; i++) {
		frames_of_sample(f, &f->m->samples[i], &path);
		for (j = path.nr; j; j--)
			list_add(&all, path.ids[j - 1]);
		stacks.list[i].nr = path.nr;
		stacks.list[i].count = f->m->samples[i].count;
	}
	sort_stacks(&stacks, all.ids);
	free(path.ids);
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	free(stacks->list);
	free(stacks->ids);
	*stacks = (struct stacks){ 0 };
}
