// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walk over the stack of the thread on this CPU.
 *
 * The walk runs with interrupts off, in a hard interrupt or under the run
 * queue's lock.  With page faults disabled, a word that is not in memory is not
 * readable: no read waits for swap, userfaultfd or a file system.
 *
 * A path that was walked before is kept, with the addresses that its words were
 * read at.  A frame with the pc, sp and bp of a kept one has the same callers if
 * these words are what they were.  So from there on the words are compared, and
 * only from one that differs on is the path walked anew.
 *
 * Most new frames return to a pc that an earlier one returned to.  So the rule of
 * such a pc is kept as well, by the maps that it was found in.
 */
#include <linux/hash.h>

#include "observe/observe.h"
#include "observe/unwind/object.h"
#include "profil.h"

/* A walk under way.  What is kept from begin to end is part of its path. */
struct walk {
	const struct profil_maps *maps;
	const struct profil_map_entry *entry;	/* of the last pc that was sought */
	struct profil_found *found;
	struct profil_unwind_frame frame;
	struct profil_return *kept;	/* the outermost first */
	struct profil_return *begin;
	struct profil_return *end;	/* or NULL */
	struct profil_return *new;	/* behind those inside, innermost first */
	struct profil_return *last;	/* behind the room for them */
	u32 max;
	u32 kept_end;			/* how the kept path ended */
	bool kept_by_word;
	bool by_word;			/* whole, because a word was 0 */
};

static __always_inline const struct profil_map_entry *
walk_find_entry(const struct profil_maps *maps, u64 pc)
{
	u32 first = 0, end = maps->nr, middle;

	while (first < end) {
		middle = (first + end) / 2;
		if (maps->entry[middle].start <= pc)
			first = middle + 1;
		else
			end = middle;
	}
	/* Below the first map its own start is above pc. */
	return &maps->entry[first ? first - 1 : 0];
}

/* The object that a pc is in: 0, or how the path ends. */
static __always_inline int walk_find_object(struct walk *walk, u64 pc)
{
	if (pc - walk->entry->start >= walk->entry->length) {
		walk->entry = walk_find_entry(walk->maps, pc);
		if (pc - walk->entry->start >= walk->entry->length)
			return PROFIL_PATH_UNMAPPED;
	}
	return walk->entry->object ? 0 : PROFIL_PATH_NO_TABLE;
}

/* To the caller: 0, or how the path ends. */
static __always_inline int walk_step(struct walk *walk)
{
	struct profil_unwind_frame *frame = &walk->frame;
	/* A call may be the last instruction of its function. */
	u64 pc = frame->pc - !frame->exact;
	const struct profil_unwind_rule *rule = NULL;
	struct profil_found *found = NULL;
	int end;

	/* A pc that was interrupted is seldom met again. */
	if (!frame->exact && walk->entry->object != &profil_frame_pointers) {
		found = &walk->found[hash_32(pc, PROFIL_FOUND_BITS)];
		if (found->pc == pc && found->maps_id == walk->maps->id)
			rule = &found->rule;
	}
	if (!rule) {
		end = walk_find_object(walk, pc);
		if (end)
			return end;
		if (walk->entry->object == &profil_frame_pointers)
			return profil_unwind_step_bp(frame);
		rule = profil_unwind_find(&walk->entry->object->view,
					  pc - walk->entry->start +
					  walk->entry->offset);
		if (!rule)
			return PROFIL_PATH_NO_RULE;
		if (found) {
			found->pc = pc;
			found->maps_id = walk->maps->id;
			found->rule = *rule;
		}
	}
	return profil_unwind_step(frame, rule);
}

/* One more new frame: 0, or CUT. */
static __always_inline int walk_add(struct walk *walk, u64 pc, u64 sp, u64 bp,
				    u64 pc_at, u64 bp_at, u64 bp_is)
{
	struct profil_return *to = walk->new;

	if (to == walk->last)
		return PROFIL_PATH_CUT;
	to->pc = pc;
	to->sp = sp;
	to->bp = bp;
	to->pc_at = pc_at;
	to->bp_at = bp_at;
	to->bp_is = bp_is;
	walk->new++;
	return 0;
}

static __always_inline int walk_add_frame(struct walk *walk)
{
	const struct profil_unwind_frame *frame = &walk->frame;

	return walk_add(walk, frame->pc, frame->sp, frame->bp, frame->pc_at,
			frame->bp_at, frame->bp_is);
}

/* The kept frames get another caller, so their places change. */
static __always_inline int walk_add_kept(struct walk *walk)
{
	struct profil_return *from = walk->end;
	int end = 0;

	while (!end && from-- > walk->begin)
		end = walk_add(walk, from->pc, from->sp, from->bp, from->pc_at,
			       from->bp_at, from->bp_is);
	walk->end = NULL;
	return end;
}

/* Goes outward while no word has changed: the last frame that is as it was. */
static __always_inline struct profil_return *
walk_compare(const struct walk *walk, struct profil_return *kept)
{
	u64 word;

	for (; kept > walk->kept; kept--) {
		PROFIL_UNWIND_READ(word, kept[-1].pc_at, differs);
		if (profil_unwind_strip(word, walk->frame.limit) != kept[-1].pc)
			break;
		PROFIL_UNWIND_READ(word, kept[-1].bp_at, differs);
		if (word != kept[-1].bp_is)
			break;
	}
differs:
	return kept;
}

/* Kept paths have no signal frame, and a path that has one is not kept. */
static __always_inline bool walk_is_at(const struct walk *walk,
				       const struct profil_return *kept)
{
	return kept->sp == walk->frame.sp && kept->pc == walk->frame.pc &&
	       kept->bp == walk->frame.bp && !walk->frame.exact;
}

/* Goes on from the last frame outward that is as it was. */
static __always_inline void walk_join(struct walk *walk,
				      struct profil_return *kept)
{
	kept->pc_at = walk->frame.pc_at;
	kept->bp_at = walk->frame.bp_at;
	kept->bp_is = walk->frame.bp_is;
	if (!walk->end)
		walk->end = kept + 1;
	kept = walk_compare(walk, kept);
	walk->begin = kept;
	walk->frame.pc = kept->pc;
	walk->frame.sp = kept->sp;
	walk->frame.bp = kept->bp;
}

/* Is the path known up to its end? */
static __always_inline bool walk_is_complete(const struct walk *walk)
{
	if (walk->begin != walk->kept)
		return false;
	/* Where it was cut it is cut again, unless it is shorter now. */
	if (walk->kept_end == PROFIL_PATH_CUT)
		return walk->end - walk->begin >= walk->last - walk->new;
	return walk->kept_end == PROFIL_PATH_WHOLE && !walk->kept_by_word;
}

/* How the path ends.  What is kept below place may be met. */
static __always_inline int walk_all(struct walk *walk,
				    struct profil_return *place)
{
	struct profil_unwind_frame *frame = &walk->frame;
	int end;

	for (;;) {
		end = walk_step(walk);
		if (end)
			return end;
		/* Below the first frame of a coroutine stands 0. */
		if (frame->pc - 1 >= frame->limit - 1) {
			walk->by_word = !frame->pc;
			return frame->pc ? PROFIL_PATH_UNMAPPED :
					   PROFIL_PATH_WHOLE;
		}
		while (place > walk->kept && place[-1].sp < frame->sp)
			place--;
		if (place > walk->kept && walk_is_at(walk, place - 1) &&
		    (!walk->end || place == walk->begin)) {
			walk_join(walk, place - 1);
			if (walk_is_complete(walk))
				return walk->kept_end;
			place = walk->begin;
			continue;
		}
		if (walk->end)
			end = walk_add_kept(walk);
		if (!end)
			end = walk_add_frame(walk);
		if (end)
			return end;
	}
}

/* The kept frames that stay, and the new ones turned round. */
static __always_inline void
walk_keep(struct walk *walk, struct profil_path *path,
	  const struct profil_return *first, u32 end)
{
	u32 nr = walk->end ? walk->end - walk->begin : 0;
	u32 nr_new = walk->new - first;
	struct profil_return *to;

	if (nr + nr_new > walk->max) {
		walk->begin += nr + nr_new - walk->max;
		nr = walk->max - nr_new;
		end = PROFIL_PATH_CUT;
	}
	if (!nr || walk->begin != walk->kept || end != path->end)
		path->known = 0;
	path->known = min(path->known, nr);
	if (nr && walk->begin != walk->kept)
		memmove(walk->kept, walk->begin, nr * sizeof(*walk->kept));
	for (to = walk->kept + nr; walk->new > first; to++)
		*to = *--walk->new;
	path->nr = nr + nr_new;
	path->end = end;
	path->by_word = walk->by_word;
	if (walk->frame.signal)
		path->maps_id = 0;
}

/**
 * profil_walk() - the path of a thread
 * @maps: of its process
 * @regs: the registers with which it is, or goes on, in user mode
 * @path: the last one of the thread, becomes the present one
 * @room: of this CPU, not used by another walk meanwhile
 * @max: the most that the path may have, without the sampled pc
 *
 * Context: interrupts off, and no other mm than the thread's loaded.
 */
void profil_walk(const struct profil_maps *maps, struct pt_regs *regs,
		 struct profil_path *path, struct profil_walk_room *room,
		 u32 max)
{
	struct walk walk = {
		.maps = maps,
		.entry = maps->entry,
		.found = room->found,
		.frame = {
			.limit = PROFIL_UNWIND_LIMIT,
			.pc = instruction_pointer(regs),
			.sp = user_stack_pointer(regs),
			.bp = profil_compat_bp(regs),
			.lr = profil_compat_link(regs),
			.exact = true,
		},
		.kept = path->frame,
		.new = room->new,
		.last = room->new + max,
		.max = max,
		.kept_end = path->end,
		.kept_by_word = path->by_word,
	};
	int end = PROFIL_PATH_UNREADABLE;

	/* array_index_nospec() takes no constant above 32 bits on some. */
	OPTIMIZER_HIDE_VAR(walk.frame.limit);
	pagefault_disable();
	/* No call between these two: objtool sees to it. */
	if (user_access_begin((void __user *)0, walk.frame.limit)) {
		end = walk_all(&walk, path->frame + path->nr);
		user_access_end();
	}
	pagefault_enable();
	walk_keep(&walk, path, room->new, end);
}
