// SPDX-License-Identifier: GPL-2.0-only
/*
 * The step of a call path on arm64: pairs of x29 and x30, return addresses in
 * x30 or signed, and signal frames.
 */
#include <elf.h>

#include "kernel.h"

#define STACK	0x7000000000ULL
#define WORDS	128
#define LIMIT	(1ULL << 48)

static u64 stack[WORDS];

#define PROFIL_UNWIND_ARM64	1
#define PROFIL_UNWIND_READ(word, at, label)				\
do {									\
	u64 __at = (at);						\
									\
	if (__at < STACK || __at >= STACK + sizeof(stack))		\
		goto label;						\
	(word) = stack[(__at - STACK) / sizeof(u64)];			\
} while (0)

#include "observe/unwind/check.h"
#include "observe/unwind/step.h"

#define SIGNED(pc)	((pc) | 0x2a55ULL << 48)

/* Words are their own numbers, so that each tells where it was read. */
static struct profil_unwind_frame start(void)
{
	u32 i;

	for (i = 0; i < WORDS; i++)
		stack[i] = i;
	return (struct profil_unwind_frame) {
		.limit = LIMIT,
		.pc = 0x401000,
		.sp = STACK + 10 * 8,
		.bp = STACK + 40 * 8,
		.lr = 0x402000,
		.exact = true,
	};
}

static int step(struct profil_unwind_frame *frame, s32 cfa, s16 bp, u16 kind)
{
	struct profil_unwind_rule rule = { .cfa = cfa, .bp = bp, .kind = kind };

	return profil_unwind_step(frame, &rule);
}

static bool is(const struct profil_unwind_frame *frame, u64 pc, u32 sp, u64 bp)
{
	return frame->pc == pc && frame->sp == STACK + sp * 8 &&
	       frame->bp == bp && !frame->exact;
}

/* Where x29 is kept, x30 is above it, wherever in the frame that is. */
static bool pair_gives_return_and_bp(void)
{
	struct profil_unwind_frame f = start();

	if (step(&f, 64, -32, PROFIL_RULE_SP) || !is(&f, 15, 18, 14))
		return false;
	f = start();
	return !step(&f, 16, -16, PROFIL_RULE_BP) && is(&f, 41, 42, 40);
}

static bool frame_pointer_is_as_its_rule(void)
{
	struct profil_unwind_frame by_rule = start(), by_bp = by_rule;

	stack[41] = SIGNED(0x403000);
	return !step(&by_rule, 16, -16, PROFIL_RULE_BP) &&
	       !profil_unwind_step_bp(&by_bp) && is(&by_bp, 0x403000, 42, 40) &&
	       !memcmp(&by_bp, &by_rule, sizeof(by_bp));
}

/* A leaf need not have a frame; a caller that has no pair can't be found. */
static bool link_gives_return_of_innermost(void)
{
	struct profil_unwind_frame f = start();

	if (step(&f, 0, 0, PROFIL_RULE_SP | PROFIL_RULE_LR) ||
	    !is(&f, 0x402000, 10, STACK + 320))
		return false;
	if (step(&f, 16, 0, PROFIL_RULE_SP | PROFIL_RULE_LR) !=
	    PROFIL_PATH_NO_RULE)
		return false;
	f = start();
	return !step(&f, 32, 0, PROFIL_RULE_SP | PROFIL_RULE_LR) &&
	       is(&f, 0x402000, 14, STACK + 320);
}

static bool signed_return_is_stripped(void)
{
	struct profil_unwind_frame f = start();

	f.lr = SIGNED(0x402000);
	if (step(&f, 0, 0, PROFIL_RULE_SP | PROFIL_RULE_LR) ||
	    f.pc != 0x402000)
		return false;
	f = start();
	stack[41] = SIGNED(0x403000);
	return !step(&f, 16, -16, PROFIL_RULE_BP) && f.pc == 0x403000;
}

/* The interrupted function may be a leaf. */
static bool signal_frame_gives_link(void)
{
	struct profil_unwind_frame f = start();

	stack[10 + PROFIL_SIGNAL_BP / 8] = STACK + 320;
	stack[10 + PROFIL_SIGNAL_LR / 8] = SIGNED(0x404000);
	stack[10 + PROFIL_SIGNAL_SP / 8] = STACK + 400;
	stack[10 + PROFIL_SIGNAL_PC / 8] = 0x405000;
	return !step(&f, 0, 0, PROFIL_RULE_SIGNAL) && f.exact &&
	       f.pc == 0x405000 && f.sp == STACK + 400 &&
	       !step(&f, 0, 0, PROFIL_RULE_SP | PROFIL_RULE_LR) &&
	       is(&f, 0x404000, 50, STACK + 320);
}

static bool link_is_a_rule_of_arm64(void)
{
	struct profil_unwind_rule rule = {
		.kind = PROFIL_RULE_SP | PROFIL_RULE_LR,
	};

	return profil_unwind_check_rule(&rule, true) &&
	       !profil_unwind_check_rule(&rule, false);
}

int main(void)
{
	printf("KTAP version 1\n");
	report("unwind_arm64.pair_gives_return_and_bp",
	       pair_gives_return_and_bp());
	report("unwind_arm64.frame_pointer_is_as_its_rule",
	       frame_pointer_is_as_its_rule());
	report("unwind_arm64.link_gives_return_of_innermost",
	       link_gives_return_of_innermost());
	report("unwind_arm64.signed_return_is_stripped",
	       signed_return_is_stripped());
	report("unwind_arm64.signal_frame_gives_link",
	       signal_frame_gives_link());
	report("unwind_arm64.link_is_a_rule_of_arm64",
	       link_is_a_rule_of_arm64());
	return finish();
}
