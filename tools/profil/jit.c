// SPDX-License-Identifier: MIT
/*
 * Functions that a program made itself, by address and time.
 *
 * A sample is of some time between two swaps.  It is of the function that was
 * there at the first of them, unless another came before the second.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"
#include "jit.h"
#include "util.h"

#define CODES_MAX	(1u << 20)
#define STEPS_MAX	4096		/* of a search among overlapping ones */

static int by_start(const void *one, const void *two)
{
	const struct jit_code *a = one, *b = two;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

char *jit_text(struct jit *jit, size_t size)
{
	jit->texts = xgrow(jit->texts, jit->nr_texts, sizeof(*jit->texts));
	jit->texts[jit->nr_texts] = xmalloc(size);
	return jit->texts[jit->nr_texts++];
}

void jit_add(struct jit *jit, const struct jit_code *code)
{
	struct jit_code *new;

	if (jit->nr == CODES_MAX)
		jit->broken = true;
	if (jit->broken || !code->size)
		return;
	jit->list = xgrow(jit->list, jit->nr, sizeof(*jit->list));
	new = &jit->list[jit->nr];
	*new = *code;
	new->number = (uint32_t)jit->nr++;
	if (new->size > UINT64_MAX - new->start)
		new->size = UINT64_MAX - new->start;
}

void jit_sort(struct jit *jit)
{
	uint64_t reach = 0, end;
	size_t i;

	if (!jit->nr)
		return;
	qsort(jit->list, jit->nr, sizeof(*jit->list), by_start);
	for (i = 0; i < jit->nr; i++) {
		end = jit->list[i].start + jit->list[i].size;
		reach = end > reach ? end : reach;
		jit->list[i].reach = reach;
	}
}

static bool is_later(const struct jit_code *a, const struct jit_code *b)
{
	if (!b || a->time_ns != b->time_ns)
		return !b || a->time_ns > b->time_ns;
	return a->number > b->number;
}

const char *jit_find(const struct jit *jit, uint64_t pc, int64_t since_ns,
		     int64_t until_ns)
{
	const struct jit_code *before = NULL, *meanwhile = NULL, *code;
	size_t low = 0, high = jit->nr, steps = 0;
	bool two = false;

	/* A line of a map may be older than its reading. */
	if (!jit->timed)
		until_ns = INT64_MAX;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (jit->list[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0 && jit->list[low].reach > pc && steps++ < STEPS_MAX) {
		code = &jit->list[low];
		if (pc - code->start >= code->size || code->time_ns > until_ns)
			continue;
		if (code->time_ns <= since_ns) {
			if (is_later(code, before))
				before = code;
			continue;
		}
		two = two || (meanwhile &&
			      strcmp(meanwhile->name, code->name) != 0);
		meanwhile = code;
	}
	if (two || (before && meanwhile &&
		    strcmp(before->name, meanwhile->name) != 0))
		return "[jit: two functions]";
	return meanwhile ? meanwhile->name : before ? before->name : NULL;
}

bool jit_is_late(const struct jit *jit, const char *found, int64_t until_ns)
{
	if (jit->broken)
		return false;
	if (jit->timed)
		return jit->told_ns <= until_ns;
	return !found && (jit->is_dump || jit->fd >= 0);
}

void jit_free(struct jit *jit)
{
	size_t i;

	if (jit->fd >= 0)
		close(jit->fd);
	for (i = 0; i < jit->nr_texts; i++)
		free(jit->texts[i]);
	if (jit->by_index)
		table_free(jit->by_index);
	free(jit->texts);
	free(jit->named);
	free(jit->list);
	*jit = JIT_NEW;
}
