// SPDX-License-Identifier: MIT
/*
 * The names of an object take long to read, because its symbols are sorted.  So
 * functions are kept for some time after they were last seen, and the names of
 * small objects are kept whole.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attribute.h"
#include "known.h"
#include "naming.h"
#include "util.h"

#define KEPT		32		/* models without a sample of it */
#define NAMES_MAX	32
#define NAMES_SIZE	(8u << 20)	/* bytes of all that stay */
#define READ_SHARE	50		/* a 50th of the time */
#define READ_FREE_NS	1000000000ll

static struct function_range {
	const struct object *object;
	uint64_t start, end;	/* addresses of the linker's */
	char *raw, *readable;	/* NULL: no name */
	uint32_t seen;		/* the last model with it */
} *ranges;			/* by object and address */
static size_t nr_ranges;
static uint32_t nr_models;
static int64_t begin_ns, spent_ns;

/* Names of objects that stay; those used last are at the end. */
static struct kept_names {
	const struct object *object;
	struct names *names;
} kept_names[NAMES_MAX];
static size_t nr_kept, kept_size;

/* A location that no range has. */
struct unknown {
	const struct object *object;
	uint64_t address;
	uint32_t location;
};

static int by_place(const void *one, const void *two)
{
	const struct function_range *a = one, *b = two;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static int by_address(const void *one, const void *two)
{
	const struct unknown *a = one, *b = two;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static struct function_range *find_range(const struct object *object,
					 uint64_t address)
{
	size_t low = 0, high = nr_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct function_range *at = &ranges[middle];

		if (at->object == object && address >= at->start &&
		    address < at->end)
			return at;
		if (at->object < object ||
		    (at->object == object && at->start <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void set_names(struct model *m, uint32_t location,
		      struct function_range *range)
{
	range->seen = nr_models;
	if (range->readable)
		naming_set_texts(m, location, range->raw, range->readable);
}

static struct function_range *add_range(const struct names *names,
					const struct unknown *unknown)
{
	struct function_range new = {
		.object = unknown->object, .start = unknown->address,
		.end = unknown->address + 1,
	};
	struct name name;

	if (names && names_find(names, unknown->address, &name)) {
		naming_texts(&name, &new.raw, &new.readable);
		new.start = name.start;
		new.end = name.end;
	}
	ranges = xgrow(ranges, nr_ranges, sizeof(*ranges));
	ranges[nr_ranges] = new;
	return &ranges[nr_ranges++];
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static bool may_read(void)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!begin_ns)
		begin_ns = now;
	return spent_ns < (now - begin_ns) / READ_SHARE + READ_FREE_NS;
}

static struct names *find_names(const struct object *object)
{
	struct kept_names found;
	size_t i;

	for (i = 0; i < nr_kept; i++)
		if (kept_names[i].object == object)
			break;
	if (i == nr_kept)
		return NULL;
	found = kept_names[i];
	memmove(&kept_names[i], &kept_names[i + 1],
		(nr_kept - 1 - i) * sizeof(*kept_names));
	kept_names[nr_kept - 1] = found;
	return found.names;
}

static void drop_names(size_t i)
{
	kept_size -= names_size(kept_names[i].names);
	names_free(kept_names[i].names);
	nr_kept--;
	memmove(&kept_names[i], &kept_names[i + 1],
		(nr_kept - i) * sizeof(*kept_names));
}

static void keep_names(const struct object *object, struct names *names)
{
	size_t size = names_size(names);

	if (size > NAMES_SIZE) {
		names_free(names);
		return;
	}
	while (nr_kept == NAMES_MAX || kept_size + size > NAMES_SIZE)
		drop_names(0);
	kept_names[nr_kept++] = (struct kept_names){ object, names };
	kept_size += size;
}

/* Those of one object, by address. */
static void look_up(struct model *m, const struct unknown *list, size_t nr)
{
	int64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct names *kept = find_names(list->object);
	struct names *names = kept ? kept : names_read(list->object);
	struct function_range *range = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!range || list[i].address >= range->end)
			range = add_range(names, &list[i]);
		set_names(m, list[i].location, range);
	}
	if (names && !kept)
		keep_names(list->object, names);
	spent_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
}

static void look_up_all(struct model *m, struct unknown *list, size_t nr)
{
	size_t from, to;

	if (nr)
		qsort(list, nr, sizeof(*list), by_address);
	for (from = 0; from < nr && may_read(); from = to) {
		for (to = from; to < nr && list[to].object == list[from].object;)
			to++;
		look_up(m, list + from, to - from);
	}
	if (nr_ranges)
		qsort(ranges, nr_ranges, sizeof(*ranges), by_place);
}

static void keep_ranges(const struct object *without)
{
	size_t kept = 0, i;

	for (i = 0; i < nr_ranges; i++) {
		if (ranges[i].object != without &&
		    nr_models - ranges[i].seen <= KEPT) {
			ranges[kept++] = ranges[i];
			continue;
		}
		free(ranges[i].raw);
		free(ranges[i].readable);
	}
	nr_ranges = kept;
}

void known_forget(const struct object *object)
{
	size_t i;

	for (i = 0; i < nr_kept; i++)
		if (kept_names[i].object == object)
			drop_names(i);
	keep_ranges(object);
}

void known_names(struct model *m)
{
	struct function_range *range;
	struct unknown *list = NULL;
	size_t nr = 0;
	uint32_t id;

	nr_models++;
	for (id = 1; id <= m->nr_locations; id++) {
		const struct location *loc = &m->locations[id];
		struct object *object = attribute_object(loc->mapping);

		if (!object || loc->nr_lines)
			continue;
		range = find_range(object, loc->address);
		if (range) {
			set_names(m, id, range);
			continue;
		}
		list = xgrow(list, nr, sizeof(*list));
		list[nr++] = (struct unknown){ object, loc->address, id };
	}
	look_up_all(m, list, nr);
	free(list);
	keep_ranges(NULL);
}
