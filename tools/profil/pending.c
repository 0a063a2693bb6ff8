// SPDX-License-Identifier: MIT
/*
 * Samples that wait get their places: when the maps of their process have been
 * read, and its JIT has told what it made by then.
 */
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "paths.h"
#include "pending.h"
#include "tables.h"
#include "util.h"

#define TIMED_MAX	8192	/* samples that wait for maps */
#define LATE_MAX	32768	/* samples that wait for a JIT's file */

static int by_path(const void *one, const void *two)
{
	const struct pending *a = one, *b = two;

	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->when.since_ns != b->when.since_ns)
		return a->when.since_ns < b->when.since_ns ? -1 : 1;
	return memcmp(a->pcs, b->pcs, a->nr * sizeof(*a->pcs));
}

/* One entry for each path, so that a process without maps stays small. */
static void unite_pending(struct process *p)
{
	struct pending *list = p->pending;
	size_t nr = 0, i;

	qsort(list, p->nr_pending, sizeof(*list), by_path);
	for (i = 0; i < p->nr_pending; i++) {
		if (nr && !by_path(&list[nr - 1], &list[i])) {
			list[nr - 1].count += list[i].count;
			free(list[i].pcs);
		} else {
			list[nr++] = list[i];
		}
	}
	p->nr_pending = nr;
}

/* Without maps it may have a JIT, but must stay small. */
static bool is_timed(const struct process *p)
{
	return p->has_maps ? p->may_have_jit : p->nr_pending < TIMED_MAX;
}

void process_add(struct process *p, uint64_t thread,
		 const struct observe_path *path, uint64_t count,
		 const struct between *when)
{
	static const struct between any = { .until_ns = INT64_MAX };
	size_t size = path->nr * sizeof(*path->pcs);
	struct pending *new;

	if (p->nr_pending >= p->unite_at) {
		unite_pending(p);
		p->unite_at = p->nr_pending < 512 ? 1024 : 2 * p->nr_pending;
	}
	p->pending = xgrow(p->pending, p->nr_pending, sizeof(*p->pending));
	new = &p->pending[p->nr_pending++];
	*new = (struct pending){
		.pcs = xmalloc(size), .nr = (uint32_t)path->nr,
		.end = path->end, .thread = thread, .count = count,
		.when = is_timed(p) ? *when : any,
	};
	memcpy(new->pcs, path->pcs, size);
}

/* Gives samples their places; the rest waits. */
static void settle_pending(struct model *m, struct process *p,
			   find_place *find, bool last)
{
	struct placed placed;
	size_t kept = 0, i, nr;

	placed.nr = 0;
	p->nr_late = 0;
	for (i = 0; i < p->nr_pending; i++) {
		p->when = p->pending[i].when;
		nr = paths_find(p, &p->pending[i], find, last, &placed);
		if (!nr) {
			p->pending[kept++] = p->pending[i];
			continue;
		}
		attribute_sample(m, p, &p->pending[i], &placed, nr);
		free(p->pending[i].pcs);
	}
	p->nr_pending = kept;
}

static bool is_unmapped(const struct process *p)
{
	size_t i;

	for (i = 0; i < p->nr_pending; i++)
		if (p->pending[i].end == PROFIL_PATH_UNMAPPED)
			return true;
	return false;
}

static bool look_again(struct process *p, bool must)
{
	if (!process_look(p, must))
		return false;
	tables_want(p);
	return true;
}

void settle_process(struct model *m, struct process *p)
{
	/* The kernel's maps may be old even if these are not. */
	bool must = is_unmapped(p);

	if (p->has_maps)
		look_again(p, must);
	process_read_jit(p);
	p->jit_is_whole = p->ended || p->nr_pending > LATE_MAX;
	settle_pending(m, p, place_find, must);
	if (p->nr_pending > p->nr_late && look_again(p, true)) {
		process_read_jit(p);
		settle_pending(m, p, place_find, true);
	}
}

static void note_count(struct model *m, const char *what, uint64_t count)
{
	char *text;

	if (!count)
		return;
	text = xasprintf("note: %.1f %% %s",
			 100.0 * (double)count /
			 (double)m->books.counted, what);
	model_comment(m, text);
	free(text);
}

/* In all that is known of other processes, or else it is not known. */
static bool find_rest(struct process *p, uint64_t pc, struct place *place)
{
	if (!place_find(p, pc, place) && !place_find_ended(p, pc, place))
		*place = (struct place){ .part = PLACE_ENDED };
	return true;
}

static uint64_t count_lost(struct process *p)
{
	struct place place;
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < p->nr_pending; i++) {
		find_rest(p, p->pending[i].pcs[0] & ~PROFIL_NODE_KERNEL,
			  &place);
		if (place.part && !strcmp(place.part, PLACE_ENDED))
			lost += p->pending[i].count;
	}
	return lost;
}

/*
 * The process was counted as what it was before its exec.  Without a sample since
 * its fork, the parent of its image is an image of another process.
 */
static bool was_counted(const struct process *p)
{
	const pid_t pid = p->about.pid;

	while (p && p->about.how == PROFIL_IMAGE_EXEC) {
		p = process_find(p->about.parent);
		if (p && p->about.pid != pid)
			return false;
		if (p && p->sampled)
			return true;
	}
	return false;
}

uint32_t settle_rest(struct model *m)
{
	uint64_t lost = 0;
	struct process *p;
	uint32_t nr = 0;

	for (p = process_next(NULL); p; p = process_next(p)) {
		nr += p->sampled && !was_counted(p);
		process_read_jit(p);
		p->jit_is_whole = true;
		settle_pending(m, p, place_find, true);
		lost += count_lost(p);
		settle_pending(m, p, find_rest, true);
	}
	note_count(m, "in memory that was unmapped, or whose process had ended, before it could be looked at",
		   lost);
	if (process_looks_left_out)
		model_comment(m, "note: so many programs began that what some had mapped was not read");
	return nr;
}

void settle_now(struct model *m)
{
	struct process *p;

	for (p = process_next(NULL); p; p = process_next(p)) {
		if (!p->nr_pending)
			continue;
		process_read_jit(p);
		p->jit_is_whole = true;
		settle_pending(m, p, place_find, true);
		settle_pending(m, p, find_rest, true);
		p->jit_is_whole = false;
	}
}
