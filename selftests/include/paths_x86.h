/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of paths_test.h in x86-64's instructions, and their rules.
 */
#ifndef PROFIL_PATHS_X86_H
#define PROFIL_PATHS_X86_H

#define TABLE_MACHINE	EM_X86_64

/* The words of a signal frame, by 8 bytes from sp. */
#define SIGNAL_BP	(120 / 8)
#define SIGNAL_SP	(160 / 8)
#define SIGNAL_PC	(168 / 8)

asm(".pushsection paths,\"ax\"\n"
"	.p2align 8\n"
"paths_leaf:\n"
"1:	dec %rdi\n"
"	jnz 1b\n"
"	ret\n"
"paths_sub:\n"
"	sub $24, %rsp\n"
"paths_sub_body:\n"
"	call paths_leaf\n"
"paths_sub_back:\n"
"	add $24, %rsp\n"
"paths_sub_end:\n"
"	ret\n"
"paths_bp:\n"
"	push %rbp\n"
"paths_bp_push:\n"
"	mov %rsp, %rbp\n"
"paths_bp_body:\n"
"	sub $48, %rsp\n"
"	call paths_sub\n"
"paths_bp_back:\n"
"	leave\n"
"paths_bp_end:\n"
"	ret\n"
"paths_top:\n"
"	call paths_bp\n"
"paths_top_back:\n"
"	ret\n"
"paths_signal:\n"
"	mov $3000000, %edi\n"
"	call paths_leaf\n"
"paths_signal_back:\n"
"	ret\n"
"paths_system:\n"
"	shr $5, %rdi\n"
"	call paths_enter\n"
"paths_system_back:\n"
"	ret\n"
"paths_enter:\n"
"	mov $110, %eax\n"
"	syscall\n"
"	dec %rdi\n"
"	jnz paths_enter\n"
"	ret\n"
"paths_with_bp:\n"
"	push %rbp\n"
"	mov %rsi, %rbp\n"
"paths_with_bp_loop:\n"
"	dec %rdi\n"
"	jnz paths_with_bp_loop\n"
"	pop %rbp\n"
"	ret\n"
"paths_with_sp:\n"
"	mov %rsp, %rax\n"
"	mov %rsi, %rsp\n"
"paths_with_sp_loop:\n"
"	dec %rdi\n"
"	jnz paths_with_sp_loop\n"
"paths_with_sp_end:\n"
"	mov %rax, %rsp\n"
"	ret\n"
"paths_deep:\n"
"	push %rbp\n"
"	mov %rsp, %rbp\n"
"	dec %rsi\n"
"	jz paths_deep_loop\n"
"	ror $1, %rdx\n"
"	jc 1f\n"
"	call paths_deep\n"
"paths_deep_back:\n"
"	pop %rbp\n"
"	ret\n"
"1:	call paths_deep\n"
"paths_deep_other:\n"
"	pop %rbp\n"
"	ret\n"
"paths_deep_loop:\n"
"	dec %rdi\n"
"	jnz paths_deep_loop\n"
"paths_deep_end:\n"
"	pop %rbp\n"
"	ret\n"
".popsection\n"
".pushsection paths_fp,\"ax\"\n"
"	.p2align 8\n"
"paths_fp_leaf:\n"
"	push %rbp\n"
"	mov %rsp, %rbp\n"
"paths_fp_loop:\n"
"	dec %rdi\n"
"	jnz paths_fp_loop\n"
"	pop %rbp\n"
"	ret\n"
"paths_fp_middle:\n"
"	push %rbp\n"
"	mov %rsp, %rbp\n"
"	call paths_fp_leaf\n"
"paths_fp_middle_back:\n"
"	pop %rbp\n"
"	ret\n"
"paths_fp_top:\n"
"	push %rbp\n"
"	xor %ebp, %ebp\n"
"	call paths_fp_middle\n"
"paths_fp_top_back:\n"
"	pop %rbp\n"
"	ret\n"
".popsection\n");

static const struct row paths_rows[] = {
	{ paths_leaf, { 8, 0, PROFIL_RULE_SP } },
	{ paths_sub_body, { 32, 0, PROFIL_RULE_SP } },
	{ paths_sub_end, { 8, 0, PROFIL_RULE_SP } },
	{ paths_bp_push, { 16, -16, PROFIL_RULE_SP } },
	{ paths_bp_body, { 16, -16, PROFIL_RULE_BP } },
	{ paths_bp_end, { 8, 0, PROFIL_RULE_SP } },
	{ paths_top, { 0, 0, PROFIL_RULE_END } },
	{ paths_signal, { 8, 0, PROFIL_RULE_SP } },
	{ paths_system, { 0, 0, PROFIL_RULE_END } },
	{ paths_enter, { 8, 0, PROFIL_RULE_SP } },
	{ paths_with_bp_loop, { 16, -16, PROFIL_RULE_BP } },
	{ paths_with_sp_loop, { 0, 0, PROFIL_RULE_SIGNAL } },
	{ paths_with_sp_end, { 0, 0, PROFIL_RULE_NONE } },
};

#endif /* PROFIL_PATHS_X86_H */
