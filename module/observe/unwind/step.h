/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From one frame to its caller: the rule of a text offset, and its words on the
 * stack.  Pure, and also compiled into the tests on the host.
 *
 * Before this file is included, these are defined:
 *	PROFIL_UNWIND_READ(word, at, label)	word = *at, or goto label
 *	PROFIL_UNWIND_ARM64			1 or 0
 *
 * Table, registers and stack are the user's.  A checked table keeps each index
 * inside; array_index_nospec() keeps it there under speculation as well.
 */
#ifndef _PROFIL_UNWIND_STEP_H
#define _PROFIL_UNWIND_STEP_H

#ifdef __KERNEL__
#include <linux/nospec.h>
#include <linux/types.h>
#include <profil/ioctl.h>
#endif

#define PROFIL_UNWIND_CHUNK_BITS	8

/* The parts of a checked table. */
struct profil_unwind_view {
	u32 chunks;
	u32 rows;
	const u32 *index;
	const struct profil_unwind_rule *rule;
	const u16 *row_rule;
	const u8 *row_low;
};

struct profil_unwind_frame {
	u64 limit;	/* first address past user memory; for all frames */
	u64 pc;
	u64 sp;
	u64 bp;
	u64 lr;		/* arm64: x30 */
	bool exact;	/* pc is where the frame goes on, not a return address */
	bool signal;	/* a step went over a signal frame */
	u64 pc_at;	/* where the step read pc */
	u64 bp_at;	/* and bp, else also pc */
	u64 bp_is;	/* the word there */
};

/* Offsets in a signal frame, from sp. */
#if PROFIL_UNWIND_ARM64
#define PROFIL_SIGNAL_BP	544
#define PROFIL_SIGNAL_LR	552
#define PROFIL_SIGNAL_SP	560
#define PROFIL_SIGNAL_PC	568
#else
#define PROFIL_SIGNAL_BP	120
#define PROFIL_SIGNAL_SP	160
#define PROFIL_SIGNAL_PC	168
#endif

/* A return address without the authentication code in its upper bits. */
static __always_inline u64 profil_unwind_strip(u64 pc, u64 limit)
{
	return PROFIL_UNWIND_ARM64 ? pc & (limit - 1) : pc;
}

/*
 * The rule at an offset, or NULL: binary search for the last row of the chunk
 * at or below it.  A chunk without such a row goes on with the row before.
 */
static __always_inline const struct profil_unwind_rule *
profil_unwind_find(const struct profil_unwind_view *view, u64 offset)
{
	u64 chunk = offset >> PROFIL_UNWIND_CHUNK_BITS;
	u32 first, end, middle;

	if (chunk >= view->chunks)
		return NULL;
	chunk = array_index_nospec(chunk, view->chunks);
	first = view->index[chunk];
	end = view->index[chunk + 1];
	while (first < end) {
		middle = (first + end) / 2;
		if (view->row_low[middle] <= (u8)offset)
			first = middle + 1;
		else
			end = middle;
	}
	if (!first)
		return NULL;
	first = array_index_nospec(first - 1, view->rows);
	return &view->rule[view->row_rule[first]];
}

/* The word at an aligned address of user memory: 0, or how the path ends. */
static __always_inline int profil_unwind_word(u64 *word, u64 at, u64 limit)
{
	/* The limit is a multiple of 8. */
	if (at >= limit || at % sizeof(u64))
		return PROFIL_PATH_WILD;
	at = array_index_nospec(at, limit);
	PROFIL_UNWIND_READ(*word, at, unreadable);
	return 0;
unreadable:
	return PROFIL_PATH_UNREADABLE;
}

/* The interrupted frame.  Its sp, too, is a word that the user wrote. */
static __always_inline int
profil_unwind_signal(struct profil_unwind_frame *frame)
{
	u64 sp = frame->sp, limit = frame->limit;
	int end;

	end = profil_unwind_word(&frame->bp, sp + PROFIL_SIGNAL_BP, limit);
#if PROFIL_UNWIND_ARM64
	if (!end)
		end = profil_unwind_word(&frame->lr, sp + PROFIL_SIGNAL_LR, limit);
#endif
	if (!end)
		end = profil_unwind_word(&frame->pc, sp + PROFIL_SIGNAL_PC, limit);
	if (!end)
		end = profil_unwind_word(&frame->sp, sp + PROFIL_SIGNAL_SP, limit);
	if (!end && frame->sp >= limit)
		end = PROFIL_PATH_WILD;
	frame->exact = true;
	frame->signal = true;
	return end;
}

/* The return address and the caller's bp. */
static __always_inline int
profil_unwind_return(struct profil_unwind_frame *frame,
		     const struct profil_unwind_rule *rule, u64 cfa)
{
	bool link = PROFIL_UNWIND_ARM64 && rule->kind & PROFIL_RULE_LR;
	u64 pc = frame->lr, bp = frame->bp, at = cfa - 8;
	int end = 0;

	if (PROFIL_UNWIND_ARM64)
		at = link ? 0 : cfa + rule->bp + 8;
	if (link && !frame->exact)
		return PROFIL_PATH_NO_RULE;
	/* A leaf of arm64 may have no frame of its own. */
	if (cfa + link <= frame->sp)
		return PROFIL_PATH_WILD;
	/* To read the return address checks the CFA, but it may be in x30. */
	if (PROFIL_UNWIND_ARM64 && cfa > frame->limit)
		return PROFIL_PATH_WILD;
	if (!link)
		end = profil_unwind_word(&pc, at, frame->limit);
	frame->pc_at = at;
	frame->bp_is = pc;
	if (rule->kind & PROFIL_RULE_BP_AT_BP || rule->bp) {
		at = rule->kind & PROFIL_RULE_BP_AT_BP ? bp : cfa;
		at += rule->bp;
		if (!end)
			end = profil_unwind_word(&bp, at, frame->limit);
		frame->bp_is = bp;
	}
	frame->bp_at = at;
	frame->pc = profil_unwind_strip(pc, frame->limit);
	frame->sp = cfa;
	frame->bp = bp;
	frame->exact = false;
	return end;
}

/**
 * profil_unwind_step() - make a frame that of its caller
 * @frame: the registers
 * @rule: of its pc
 *
 * The caller's sp is above the frame's, except over a signal frame.
 *
 * Return: 0, or PROFIL_PATH_*, and then the frame is not to be used.
 */
static __always_inline int
profil_unwind_step(struct profil_unwind_frame *frame,
		   const struct profil_unwind_rule *rule)
{
	u16 kind = rule->kind & PROFIL_RULE_KIND;
	u64 cfa = rule->cfa;
	int end = 0;

	switch (kind) {
	case PROFIL_RULE_SP:
		cfa += frame->sp;
		break;
	case PROFIL_RULE_BP:
		cfa += frame->bp;
		break;
	case PROFIL_RULE_AT_SP:
		end = profil_unwind_word(&cfa, frame->sp + cfa, frame->limit);
		cfa += 8 * (s8)(rule->kind >> PROFIL_RULE_K_SHIFT);
		break;
	case PROFIL_RULE_AT_BP:
		end = profil_unwind_word(&cfa, frame->bp + cfa, frame->limit);
		cfa += 8 * (s8)(rule->kind >> PROFIL_RULE_K_SHIFT);
		break;
	case PROFIL_RULE_PLT:
		cfa = frame->sp + ((s64)(frame->pc % 16) < rule->cfa ? 8 : 16);
		break;
	case PROFIL_RULE_SIGNAL:
		return profil_unwind_signal(frame);
	case PROFIL_RULE_END:
		return PROFIL_PATH_WHOLE;
	default:
		return PROFIL_PATH_NO_RULE;
	}
	if (!end)
		end = profil_unwind_return(frame, rule, cfa);
	/* Two words do not tell that the CFA is still what it was. */
	if (kind == PROFIL_RULE_AT_SP || kind == PROFIL_RULE_AT_BP)
		frame->bp_is = ~frame->bp_is;
	return end;
}

/*
 * The step by a frame pointer: it points to the caller's, and behind that is the
 * return address.  The outermost frame pointer is 0.
 */
static __always_inline int
profil_unwind_step_bp(struct profil_unwind_frame *frame)
{
	u64 bp = frame->bp, at, pc;

	/* Both words are below the limit, because it and bp are multiples of 8. */
	if (bp >= frame->limit - 8 || bp % sizeof(u64) || bp + 16 <= frame->sp)
		return bp ? PROFIL_PATH_WILD : PROFIL_PATH_WHOLE;
	at = array_index_nospec(bp, frame->limit);
	PROFIL_UNWIND_READ(pc, at + 8, unreadable);
	PROFIL_UNWIND_READ(frame->bp, at, unreadable);
	frame->pc = profil_unwind_strip(pc, frame->limit);
	frame->sp = bp + 16;
	frame->exact = false;
	frame->pc_at = bp + 8;
	frame->bp_at = bp;
	frame->bp_is = frame->bp;
	return 0;
unreadable:
	return PROFIL_PATH_UNREADABLE;
}

#endif /* _PROFIL_UNWIND_STEP_H */
