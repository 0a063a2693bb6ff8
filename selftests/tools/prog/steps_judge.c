// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each 10th path as profil shows it, also by wrong tables, which are shifted
 * against the text: profil has to find that.
 */
#include "steps.h"

#include "paths.h"

static unsigned long judged, wrong, wrong_whole, right_not_whole;
static unsigned long kept_differs, kept_frames, all_frames;

static bool find(struct process *p, uint64_t pc, struct place *place)
{
	const struct map *map = maps_find(&steps_maps, pc);

	(void)p;
	if (!map)
		return false;
	*place = (struct place){ .object = map->object, .part = map->name };
	place->offset = pc - map->start + map->offset;
	return true;
}

static bool is_same(const struct placed *a, const struct placed *b, size_t from,
		    size_t nr)
{
	size_t i;

	for (i = from - nr; i < from; i++)
		if (a->list[i].place.object != b->list[i].place.object ||
		    a->list[i].place.offset != b->list[i].place.offset ||
		    a->list[i].exact != b->list[i].exact)
			return false;
	return true;
}

/* Whether profil shows it as whole: also if it remembers the path before. */
static bool is_shown_whole(struct path *path, int end, struct placed *kept)
{
	static struct placed fresh;
	struct pending sample = {
		.pcs = path->pc, .nr = path->nr, .end = (uint32_t)end,
	};
	struct pending again = sample;
	size_t nr;

	fresh.nr = 0;
	nr = paths_find(NULL, &sample, find, true, &fresh);
	if (paths_find(NULL, &again, find, true, kept) != nr ||
	    again.end != sample.end || !is_same(&fresh, kept, sample.nr, nr))
		kept_differs++;
	kept_frames += kept->same;
	all_frames += nr;
	return nr && sample.end == PROFIL_PATH_WHOLE;
}

void steps_judge(const struct user_regs_struct *regs)
{
	static const u64 shifts[] = { 64, 1040, 40 << 10 };
	static struct placed kept, kept_wrong;
	struct path right = { .nr = 0 }, other = { .nr = 0 };
	unsigned int i;
	int end;

	/* Of one frame: between the stacks of two coroutines. */
	if (steps_walk(regs, 0, &right) != PROFIL_PATH_WHOLE || right.nr == 1)
		return;
	judged++;
	if (!is_shown_whole(&right, PROFIL_PATH_WHOLE, &kept) &&
	    right_not_whole++ < 10)
		steps_print("right, but not shown as whole", &right);
	/* Of its two or three frames one may be left out unseen. */
	if (right.coroutine)
		return;
	/* An address that no call returns to. */
	if (right.nr > 2) {
		right.pc[right.nr - 2]++;
		wrong_whole += is_shown_whole(&right, PROFIL_PATH_WHOLE, &kept_wrong);
		right.pc[right.nr - 2]--;
	}
	for (i = 0; i < 3; i++) {
		end = steps_walk(regs, shifts[i], &other);
		if (other.nr == right.nr &&
		    !memcmp(other.pc, right.pc, right.nr * sizeof(*right.pc)))
			continue;
		wrong++;
		if (!is_shown_whole(&other, end, &kept_wrong))
			continue;
		if (wrong_whole++ < 10) {
			printf("# shift %llu\n", (unsigned long long)shifts[i]);
			steps_print("right", &right);
			steps_print("wrong", &other);
		}
	}
}

bool steps_judged(void)
{
	printf("# %lu paths: %lu right ones not whole; by wrong tables %lu, %lu whole\n",
	       judged, right_not_whole, wrong, wrong_whole);
	printf("# %lu of %lu frames as in the path before, %lu paths wrong by it\n",
	       kept_frames, all_frames, kept_differs);
	/* The first entry of a coroutine is a return without a call. */
	return right_not_whole <= 2 && !wrong_whole && !kept_differs &&
	       (judged <= 1000 || 10 * kept_frames >= all_frames);
}
