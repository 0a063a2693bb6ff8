// SPDX-License-Identifier: MIT
/* Adding the samples of a profile up to rows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "owner.h"
#include "rows.h"
#include "util.h"

const char *const by_names[NR_BY] = {
	"function", "line", "instruction", "object", "process", "cgroup",
	"thread", "thread-name"
};

/* Finds a row by hash; open addressing, 0 is a free place. */
struct builder {
	struct model *m;
	struct rows rows;
	size_t *places;
	size_t nr_places;	/* a power of two */
};

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

uint64_t location_offset(const struct model *m, const struct location *loc)
{
	const struct mapping *mapping = &m->mappings[loc->mapping];

	if (!loc->mapping)
		return loc->address;
	return loc->address - mapping->start + mapping->offset;
}

int sample_kernel(const struct sample *sample)
{
	const struct label *kind = sample_label(sample, LABEL_KIND);

	if (!kind || !kind->str)
		return -1;
	if (!strcmp(kind->str, KIND_SYSCALL))
		return 0;
	return !strcmp(kind->str, KIND_FAULT) ? 1 : -1;
}

const char *sample_kernel_name(struct model *m, const struct sample *sample)
{
	const struct label *call = sample_label(sample, LABEL_SYSCALL);
	const char *name;
	char *text;

	if (sample_kernel(sample))
		return model_string(m, "[page fault or interrupt]");
	text = xasprintf("[system call] %s",
			 call && call->str ? call->str : "unknown");
	name = model_string(m, text);
	free(text);
	return name;
}

const char *unnamed(struct model *m, const struct location *loc)
{
	const char *path = loc->mapping ? m->mappings[loc->mapping].path : "";
	const char *name;
	char *text;

	if (!*path)
		return model_string(m, "[no object]");
	if (*path == '[')
		return path;
	text = xasprintf("[%s: no symbol]", base_name(path));
	name = model_string(m, text);
	free(text);
	return name;
}

static size_t row_hash(const struct row *row)
{
	uint64_t hash = (uintptr_t)row->name;

	hash = hash * 0x9e3779b97f4a7c15ULL + (uintptr_t)row->object;
	hash = hash * 0x9e3779b97f4a7c15ULL + (uintptr_t)row->file;
	hash = hash * 0x9e3779b97f4a7c15ULL + row->line;
	hash = hash * 0x9e3779b97f4a7c15ULL + row->address;
	hash = hash * 0x9e3779b97f4a7c15ULL + row->id;
	hash *= 0xff51afd7ed558ccdULL;
	return hash ^ (hash >> 32);
}

/* Strings are interned, so that equal ones are one pointer. */
static bool row_equal(const struct row *a, const struct row *b)
{
	return a->name == b->name && a->object == b->object &&
	       a->file == b->file && a->line == b->line &&
	       a->address == b->address && a->id == b->id;
}

static size_t *row_place(struct builder *b, const struct row *key)
{
	size_t i = row_hash(key) & (b->nr_places - 1);

	while (b->places[i] &&
	       !row_equal(&b->rows.list[b->places[i] - 1], key))
		i = (i + 1) & (b->nr_places - 1);
	return &b->places[i];
}

static struct row *row_get(struct builder *b, const struct row *key)
{
	size_t *place, i;

	if (2 * (b->rows.nr + 1) > b->nr_places) {
		b->nr_places = b->nr_places ? 2 * b->nr_places : 64;
		free(b->places);
		b->places = xcalloc(b->nr_places, sizeof(*b->places));
		for (i = 0; i < b->rows.nr; i++)
			*row_place(b, &b->rows.list[i]) = i + 1;
	}
	place = row_place(b, key);
	if (!*place) {
		b->rows.list = xgrow(b->rows.list, b->rows.nr, sizeof(*key));
		b->rows.list[b->rows.nr++] = *key;
		*place = b->rows.nr;
	}
	return &b->rows.list[*place - 1];
}

static void count_row(struct builder *b, const struct row *key, bool self,
		      uint64_t samples, size_t nr)
{
	struct row *row = row_get(b, key);

	if (self)
		row->self += samples;
	/* Recursion counts once. */
	if (row->seen_by != nr)
		row->total += samples;
	row->seen_by = nr;
}

/* The row of an element of an inline chain; -1: of what has no function. */
static struct row frame_key(struct builder *b, const struct location *loc,
			    long i, enum by by)
{
	struct model *m = b->m;
	struct row key = { .object = m->empty, .file = m->empty };
	const struct function *function;

	if (loc->mapping)
		key.object = m->mappings[loc->mapping].path;
	if (by == BY_OBJECT) {
		key.name = *key.object ? key.object :
					 model_string(m, "[no object]");
		return key;
	}
	if (i < 0) {
		key.name = unnamed(m, loc);
	} else {
		function = &m->functions[loc->lines[i].function];
		key.name = function->name;
		if (by != BY_FUNCTION) {
			key.file = function->file;
			key.line = loc->lines[i].line;
		}
	}
	if (by == BY_INSTRUCTION)
		key.address = location_offset(m, loc);
	return key;
}

static void count_frames(struct builder *b, const struct sample *sample,
			 size_t nr, enum by by)
{
	struct row key = { .object = model_string(b->m, KERNEL_OBJECT),
			   .file = b->m->empty };
	bool self = true;
	size_t i, j;

	if (sample_kernel(sample) >= 0) {
		key.name = by == BY_OBJECT ? key.object :
			   sample_kernel_name(b->m, sample);
		count_row(b, &key, self, sample->count, nr);
		self = false;
	}
	for (i = 0; i < sample->nr_locations; i++) {
		const struct location *loc =
			&b->m->locations[sample->locations[i]];

		if (!loc->nr_lines) {
			key = frame_key(b, loc, -1, by);
			count_row(b, &key, self, sample->count, nr);
			self = false;
		}
		for (j = 0; j < loc->nr_lines; j++) {
			key = frame_key(b, loc, j, by);
			count_row(b, &key, self, sample->count, nr);
			self = false;
			/* One instruction is one row, whatever is inlined. */
			if (by == BY_INSTRUCTION)
				break;
		}
	}
}

static struct row thread_key(struct builder *b, const char *program,
			     const char *name, int64_t tid, enum by by)
{
	struct row key = { .name = name, .object = program, .id = tid };

	if (by == BY_THREAD_NAME) {
		key.object = b->m->empty;
		key.id = 0;
	}
	key.file = b->m->empty;
	return key;
}

static void count_cgroup(struct builder *b, const struct sample *sample,
			 size_t nr)
{
	struct row key = { .object = b->m->empty, .file = b->m->empty };

	key.name = owner_cgroup(b->m, sample);
	count_row(b, &key, true, sample->count, nr);
}

static void count_owner(struct builder *b, const struct sample *sample,
			size_t nr, enum by by)
{
	struct owner owner = owner_of(b->m, sample);
	struct row key = { .name = owner.program, .object = b->m->empty,
			   .file = b->m->empty, .id = owner.pid };

	if (by != BY_PROCESS)
		key = thread_key(b, owner.program, owner.thread, owner.tid, by);
	count_row(b, &key, true, sample->count, nr);
}

static void add_times(struct builder *b, enum by by)
{
	const struct thread_time *time;
	struct row key, *row;
	size_t i;

	for (i = 0; i < b->m->nr_threads; i++) {
		time = &b->m->threads[i];
		key = thread_key(b, time->program, time->name, time->tid, by);
		row = row_get(b, &key);
		row->cpu_ns += time->cpu_ns;
		row->wait_ns += time->wait_ns;
		row->read_ns += time->read_ns;
	}
}

static int by_name(const struct row *x, const struct row *y)
{
	int order;

	order = strcmp(x->name, y->name);
	if (!order && x->line != y->line)
		order = x->line < y->line ? -1 : 1;
	if (!order && x->address != y->address)
		order = x->address < y->address ? -1 : 1;
	return order ? order : (x->id > y->id) - (x->id < y->id);
}

static int by_self(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	return by_name(x, y);
}

static int by_total(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->total == y->total ? by_self(a, b) :
	       x->total < y->total ? 1 : -1;
}

void rows_sort(struct rows *rows, bool total_first)
{
	if (rows->nr)
		qsort(rows->list, rows->nr, sizeof(*rows->list),
		      total_first ? by_total : by_self);
}

struct rows rows_make(struct model *m, enum by by)
{
	struct builder b = { .m = m };
	const struct sample *sample;
	size_t i;
	int kind;

	for (i = 0; i < m->nr_samples; i++) {
		sample = &m->samples[i];
		b.rows.samples += sample->count;
		kind = sample_kernel(sample);
		if (kind >= 0)
			b.rows.kernel[kind] += sample->count;
		if (by < BY_PROCESS)
			count_frames(&b, sample, i + 1, by);
		else if (by == BY_CGROUP)
			count_cgroup(&b, sample, i + 1);
		else
			count_owner(&b, sample, i + 1, by);
	}
	if (by >= BY_THREAD)
		add_times(&b, by);
	free(b.places);
	rows_sort(&b.rows, false);
	return b.rows;
}

char *row_text(const struct row *row, enum by by)
{
	switch (by) {
	case BY_LINE:
		if (row->line)
			return xasprintf("%s:%" PRId64 "  %s",
					 base_name(row->file), row->line,
					 row->name);
		break;
	case BY_INSTRUCTION:
		if (!row->address)
			break;
		if (row->line)
			return xasprintf("%#" PRIx64 "  %s  %s:%" PRId64,
					 row->address, row->name,
					 base_name(row->file), row->line);
		return xasprintf("%#" PRIx64 "  %s", row->address, row->name);
	case BY_PROCESS:
		return xasprintf("%s (%" PRId64 ")", row->name, row->id);
	case BY_THREAD:
		return xasprintf("%s (%" PRId64 ") of %s", row->name, row->id,
				 row->object);
	default:
		break;
	}
	return xstrdup(row->name);
}

void rows_free(struct rows *rows)
{
	free(rows->list);
	*rows = (struct rows){ 0 };
}
