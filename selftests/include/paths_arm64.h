/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of paths_test.h in arm64's instructions, and their rules.
 * paths_bp signs its return address, where the CPU can.
 */
#ifndef PROFIL_PATHS_ARM64_H
#define PROFIL_PATHS_ARM64_H

#define TABLE_MACHINE	EM_AARCH64

/* The words of a signal frame, by 8 bytes from sp. */
#define SIGNAL_BP	(544 / 8)
#define SIGNAL_SP	(560 / 8)
#define SIGNAL_PC	(568 / 8)

asm(".pushsection paths,\"ax\"\n"
"	.p2align 8\n"
"paths_leaf:\n"
"1:	subs x0, x0, #1\n"
"	b.ne 1b\n"
"	ret\n"
"paths_sub:\n"
"	stp x29, x30, [sp, #-32]!\n"
"paths_sub_body:\n"
"	bl paths_leaf\n"
"paths_sub_back:\n"
"	ldp x29, x30, [sp], #32\n"
"paths_sub_end:\n"
"	ret\n"
"paths_bp:\n"
"	hint #25\n"
"	stp x29, x30, [sp, #-16]!\n"
"paths_bp_push:\n"
"	mov x29, sp\n"
"paths_bp_body:\n"
"	sub sp, sp, #48\n"
"	bl paths_sub\n"
"paths_bp_back:\n"
"	mov sp, x29\n"
"	ldp x29, x30, [sp], #16\n"
"paths_bp_end:\n"
"	hint #29\n"
"	ret\n"
"paths_top:\n"
"	stp x29, x30, [sp, #-16]!\n"
"	bl paths_bp\n"
"paths_top_back:\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
"paths_signal:\n"
"	stp x29, x30, [sp, #-16]!\n"
"	mov w0, #0xc6c0\n"
"	movk w0, #0x2d, lsl #16\n"
"	bl paths_leaf\n"
"paths_signal_back:\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
"paths_system:\n"
"	stp x29, x30, [sp, #-16]!\n"
"	lsr x9, x0, #5\n"
"	bl paths_enter\n"
"paths_system_back:\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
"paths_enter:\n"
"	mov x8, #173\n"
"	svc #0\n"
"	subs x9, x9, #1\n"
"	b.ne paths_enter\n"
"	ret\n"
"paths_with_bp:\n"
"	stp x29, x30, [sp, #-16]!\n"
"	mov x29, x1\n"
"paths_with_bp_loop:\n"
"	subs x0, x0, #1\n"
"	b.ne paths_with_bp_loop\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
"paths_with_sp:\n"
"	mov x3, sp\n"
"	mov sp, x1\n"
"paths_with_sp_loop:\n"
"	subs x0, x0, #1\n"
"	b.ne paths_with_sp_loop\n"
"paths_with_sp_end:\n"
"	mov sp, x3\n"
"	ret\n"
"paths_deep:\n"
"	stp x29, x30, [sp, #-16]!\n"
"	mov x29, sp\n"
"	subs x1, x1, #1\n"
"	b.eq paths_deep_loop\n"
"	tst x2, #1\n"
"	ror x2, x2, #1\n"
"	b.ne 1f\n"
"	bl paths_deep\n"
"paths_deep_back:\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
"1:	bl paths_deep\n"
"paths_deep_other:\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
"paths_deep_loop:\n"
"	subs x0, x0, #1\n"
"	b.ne paths_deep_loop\n"
"paths_deep_end:\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
".popsection\n"
".pushsection paths_fp,\"ax\"\n"
"	.p2align 8\n"
"paths_fp_leaf:\n"
"	stp x29, x30, [sp, #-16]!\n"
"	mov x29, sp\n"
"paths_fp_loop:\n"
"	subs x0, x0, #1\n"
"	b.ne paths_fp_loop\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
"paths_fp_middle:\n"
"	stp x29, x30, [sp, #-16]!\n"
"	mov x29, sp\n"
"	bl paths_fp_leaf\n"
"paths_fp_middle_back:\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
"paths_fp_top:\n"
"	stp x29, x30, [sp, #-16]!\n"
"	mov x29, xzr\n"
"	bl paths_fp_middle\n"
"paths_fp_top_back:\n"
"	ldp x29, x30, [sp], #16\n"
"	ret\n"
".popsection\n");

static const struct row paths_rows[] = {
	{ paths_leaf, { 0, 0, PROFIL_RULE_SP | PROFIL_RULE_LR } },
	{ paths_sub_body, { 32, -32, PROFIL_RULE_SP } },
	{ paths_sub_end, { 0, 0, PROFIL_RULE_SP | PROFIL_RULE_LR } },
	{ paths_bp_push, { 16, -16, PROFIL_RULE_SP } },
	{ paths_bp_body, { 16, -16, PROFIL_RULE_BP } },
	{ paths_bp_end, { 0, 0, PROFIL_RULE_SP | PROFIL_RULE_LR } },
	{ paths_top, { 0, 0, PROFIL_RULE_END } },
	{ paths_signal, { 16, -16, PROFIL_RULE_SP } },
	{ paths_system, { 0, 0, PROFIL_RULE_END } },
	{ paths_enter, { 0, 0, PROFIL_RULE_SP | PROFIL_RULE_LR } },
	{ paths_with_bp_loop, { 16, -16, PROFIL_RULE_BP } },
	{ paths_with_sp_loop, { 0, 0, PROFIL_RULE_SIGNAL } },
	{ paths_with_sp_end, { 0, 0, PROFIL_RULE_NONE } },
};

#endif /* PROFIL_PATHS_ARM64_H */
