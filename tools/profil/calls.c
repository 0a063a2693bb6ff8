// SPDX-License-Identifier: MIT
/*
 * Making a view's tree from stacks that are sorted.
 *
 * Stacks that begin alike stand together, so one walk over them opens and
 * closes each node once.  A node that closes with too few samples goes at
 * once, with all below it, which has still fewer: memory is for what is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "util.h"

/* A node that is open, and what is folded of those below it. */
struct opened {
	uint32_t index;
	uint32_t nr_folded;
	uint64_t folded, base_folded;
};

struct maker {
	struct calls calls;
	struct opened open[STACK_DEPTH + 1];
	uint32_t depth;
	uint32_t small;		/* the frame of what is folded */
};

static struct call *add_node(struct maker *k, uint32_t frame)
{
	struct calls *c = &k->calls;

	c->list = xgrow(c->list, c->nr, sizeof(*c->list));
	c->list[c->nr] = (struct call){ .frame = frame, .depth = k->depth };
	return &c->list[c->nr++];
}

static void open_node(struct maker *k, uint32_t frame)
{
	add_node(k, frame);
	k->open[k->depth++] = (struct opened){ .index = k->calls.nr - 1 };
}

static void close_node(struct maker *k)
{
	const struct opened *it = &k->open[k->depth - 1];
	struct opened *above;
	struct calls *c = &k->calls;
	struct call *small, *call;

	if (it->nr_folded) {
		small = add_node(k, k->small);
		small->self = it->folded;
		small->total = it->folded;
		small->base_self = it->base_folded;
		small->base_total = it->base_folded;
		small->end = c->nr;
		small->nr_folded = it->nr_folded;
	}
	k->depth--;
	call = &c->list[it->index];
	call->end = c->nr;
	call->total += call->self + it->folded;
	call->base_total += call->base_self + it->base_folded;
	if (!k->depth)
		return;
	above = &k->open[k->depth - 1];
	if (call->total + call->base_total >= c->least) {
		c->list[above->index].total += call->total;
		c->list[above->index].base_total += call->base_total;
		return;
	}
	above->folded += call->total;
	above->base_folded += call->base_total;
	above->nr_folded++;
	c->nr = it->index;
}

/* False if there are too many nodes. */
static bool walk_calls(struct calls *calls, const struct stacks *stacks,
		       uint32_t small)
{
	struct maker k = { .calls = *calls, .small = small };
	const struct stack *stack, *before = NULL;
	struct call *call;
	size_t i, common;

	k.calls.nr = 0;
	open_node(&k, 0);
	for (i = 0; i < stacks->nr && k.calls.nr <= calls->max; i++) {
		stack = &stacks->list[i];
		common = 0;
		while (before && common < stack->nr && common < before->nr &&
		       stack->ids[common] == before->ids[common])
			common++;
		while (k.depth > common + 1)
			close_node(&k);
		for (; common < stack->nr; common++)
			open_node(&k, stack->ids[common]);
		call = &k.calls.list[k.open[k.depth - 1].index];
		call->self += stack->count;
		call->base_self += stack->base;
		before = stack;
	}
	while (k.depth)
		close_node(&k);
	*calls = k.calls;
	return i == stacks->nr && calls->nr <= calls->max;
}

/* What the order of siblings is told by; what is folded has total 0. */
struct sibling {
	uint64_t total;
	const char *name;
	uint32_t index;
};

static int by_total(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;
	int order;

	if (x->total != y->total)
		return x->total < y->total ? -1 : 1;
	order = -strcmp(x->name, y->name);
	return order ? order : (x->index < y->index) - (x->index > y->index);
}

/* The walk again, of which the next node is the last of a pile. */
static void sort_siblings(struct calls *calls, const struct frames *f)
{
	struct call *sorted = xcalloc(calls->nr, sizeof(*sorted));
	struct sibling *pile = NULL;
	size_t nr_pile = 0, first;
	uint32_t nr = 0, from, at;

	pile = xgrow(pile, nr_pile, sizeof(*pile));
	pile[nr_pile++] = (struct sibling){ .index = 0 };
	while (nr_pile) {
		from = pile[--nr_pile].index;
		first = nr_pile;
		for (at = from + 1; at < calls->list[from].end;
		     at = calls->list[at].end) {
			pile = xgrow(pile, nr_pile, sizeof(*pile));
			pile[nr_pile++] = (struct sibling){
				calls->list[at].nr_folded ? 0 :
					calls->list[at].total +
					calls->list[at].base_total,
				f->list[calls->list[at].frame].name, at
			};
		}
		if (nr_pile > first)
			qsort(pile + first, nr_pile - first, sizeof(*pile),
			      by_total);
		sorted[nr] = calls->list[from];
		sorted[nr].end = nr + calls->list[from].end - from;
		nr++;
	}
	free(pile);
	free(calls->list);
	calls->list = sorted;
}

/* The step doubles until the nodes fit, and is halved to find the lowest limit. */
static void walk_to_fit(struct calls *calls, const struct stacks *stacks,
			uint32_t small, uint64_t samples)
{
	uint64_t low = calls->least, high, step = 1;

	if (walk_calls(calls, stacks, small))
		return;
	calls->least = low + step;
	while (!walk_calls(calls, stacks, small) && calls->least <= samples) {
		low = calls->least;
		step *= 2;
		calls->least = low + step;
	}
	high = calls->least;
	while (high - low > 1) {
		calls->least = low + (high - low) / 2;
		if (walk_calls(calls, stacks, small))
			high = calls->least;
		else
			low = calls->least;
	}
	if (calls->least == high)
		return;
	calls->least = high;
	walk_calls(calls, stacks, small);
}

struct calls calls_make(const struct frames *f, const struct stacks *stacks,
			uint64_t least, uint32_t max)
{
	struct calls calls = { .least = least, .asked = least, .max = max };
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < stacks->nr; i++)
		samples += stacks->list[i].count + stacks->list[i].base;
	walk_to_fit(&calls, stacks, f->small, samples);
	sort_siblings(&calls, f);
	return calls;
}

void calls_free(struct calls *calls)
{
	free(calls->list);
	*calls = (struct calls){ 0 };
}
