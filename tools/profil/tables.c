// SPDX-License-Identifier: MIT
/*
 * Giving the kernel the tables that call paths are found by.
 *
 * An object is compiled once, for all processes that map it.  Where the memory
 * that may be locked is small the executable's table is the first to be given,
 * because its functions are asked for first, and then the smallest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tables.h"
#include "unwind.h"
#include "util.h"

/*
 * To compile takes longer than many a program lives, so that is not done for one
 * that is younger.
 */
#define LIVES_NS	10000000

/* The table of an object, and the kernel's number of it. */
struct table {
	struct unwind unwind;
	uint32_t id;		/* 0: not in the kernel */
	bool was_given;		/* or refused */
};

unsigned int tables_left_out;

/* Processes with maps that are to be given; the last is the newest. */
static struct process **wanting;
static size_t nr_wanting;

void tables_want(struct process *p)
{
	if (p->wants_tables)
		return;
	p->wants_tables = true;
	wanting = xgrow(wanting, nr_wanting, sizeof(*wanting));
	wanting[nr_wanting++] = p;
}

bool tables_compile(struct object *object)
{
	struct table *table;

	if (object->table)
		return false;
	table = xcalloc(1, sizeof(*table));
	object->table = table;
	/* Programs without .eh_frame keep frame pointers. */
	if (!unwind_compile(&table->unwind, object)) {
		table->was_given = true;
		table->id = object->machine && object->fd >= 0 ?
			    PROFIL_UNWIND_FRAME_POINTERS : 0;
	}
	return true;
}

static void give_table(const struct observer *o, struct table *table)
{
	if (observe_give_object(o, table->unwind.bytes, table->unwind.size,
				&table->id)) {
		table->id = 0;
		tables_left_out++;
	}
	table->was_given = true;
	free(table->unwind.bytes);
	table->unwind.bytes = NULL;
}

/* The executable, else the smallest; NULL if the kernel has all. */
static struct table *next_table(const struct process *p)
{
	struct table *table, *least = NULL;
	size_t i;

	for (i = 0; i < p->maps.nr; i++) {
		const struct object *object = p->maps.list[i].object;

		table = object ? object->table : NULL;
		if (!table || table->was_given)
			continue;
		if (object->ino == p->about.ino && object->dev == p->about.dev)
			return table;
		if (!least || table->unwind.size < least->unwind.size)
			least = table;
	}
	return least;
}

static struct profil_unwind_map map_of(const struct map *map)
{
	uint64_t length = map->end - map->start;
	struct profil_unwind_map result = {
		.start = map->start,
		.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
	};
	const struct segment *segment;
	const struct table *table;

	if (!map->object) {
		/* What a program makes at run time keeps frame pointers. */
		if (strcmp(map->name, "[vsyscall]") != 0)
			result.object = PROFIL_UNWIND_FRAME_POINTERS;
		return result;
	}
	table = map->object->table;
	segment = object_segment(map->object, map->offset);
	if (!table || !table->id || !segment)
		return result;
	result.object = table->id;
	if (table->id != PROFIL_UNWIND_FRAME_POINTERS)
		result.offset = (uint32_t)(map->offset - segment->offset +
					   segment->vaddr - table->unwind.base);
	return result;
}

/*
 * A process beyond the first 256 has no open memory, so it is opened for the call.
 * The kernel refuses memory that is another process's.
 */
static bool give_to(const struct observer *o, const struct process *p,
		    const struct profil_unwind_map *maps, size_t nr)
{
	int own = p->view.mem < 0 ? process_open_memory(p) : -1;
	int mem = own < 0 ? p->view.mem : own;
	bool good = mem >= 0 && !observe_give_maps(o, p->number, mem, maps, nr);

	if (own >= 0)
		close(own);
	return good;
}

static void give_maps(const struct observer *o, struct process *p)
{
	size_t nr = p->maps.nr < PROFIL_UNWIND_MAPS_MAX ?
		    p->maps.nr : PROFIL_UNWIND_MAPS_MAX, i;
	struct profil_unwind_map *maps = xcalloc(nr + 1, sizeof(*maps));

	for (i = 0; i < nr; i++)
		maps[i] = map_of(&p->maps.list[i]);
	if (p->ended || !nr ||
	    (nr == p->nr_given &&
	     !memcmp(p->given, maps, nr * sizeof(*maps))) ||
	    !give_to(o, p, maps, nr)) {
		free(maps);
		return;
	}
	free(p->given);
	p->given = maps;
	p->nr_given = nr;
}

/* True if it has all. */
static bool give_piece(const struct observer *o, struct process *p)
{
	struct table *table;
	size_t i;

	for (i = 0; !p->ended && i < p->maps.nr; i++)
		if (p->maps.list[i].object &&
		    tables_compile(p->maps.list[i].object))
			return false;
	while (!p->ended && (table = next_table(p)))
		give_table(o, table);
	give_maps(o, p);
	return true;
}

static bool must_compile(const struct process *p)
{
	size_t i;

	for (i = 0; i < p->maps.nr; i++)
		if (p->maps.list[i].object && !p->maps.list[i].object->table)
			return true;
	return false;
}

int64_t tables_give(const struct observer *o, int64_t now)
{
	int64_t next = INT64_MAX, at;
	struct process *p;
	size_t i;

	if (o->depth < 2)
		while (nr_wanting)
			wanting[--nr_wanting]->wants_tables = false;
	for (i = nr_wanting; i--;) {
		p = wanting[i];
		at = p->ended || !must_compile(p) ? now :
		     (int64_t)p->about.since_ns + LIVES_NS;
		if (at > now) {
			next = at < next ? at : next;
			continue;
		}
		if (!give_piece(o, p))
			return now;
		p->wants_tables = false;
		nr_wanting--;
		memmove(&wanting[i], &wanting[i + 1],
			(nr_wanting - i) * sizeof(*wanting));
		return nr_wanting ? now : next;
	}
	return next;
}

void tables_drop(const struct observer *o, struct object *object)
{
	struct table *table = object->table;

	if (!table)
		return;
	if (table->id && table->id != PROFIL_UNWIND_FRAME_POINTERS)
		observe_drop_object(o, table->id);
	free(table->unwind.bytes);
	free(table->unwind.marks);
	free(table);
	object->table = NULL;
}

uint32_t tables_mark(const struct object *object, uint64_t offset)
{
	const struct segment *segment = object_segment(object, offset);

	if (!segment || !object->table)
		return 0;
	return unwind_mark(&object->table->unwind,
			   offset - segment->offset + segment->vaddr);
}

bool tables_has_none(const struct object *object)
{
	return !object->table ||
	       object->table->id == PROFIL_UNWIND_FRAME_POINTERS;
}
