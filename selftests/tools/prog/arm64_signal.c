// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where signal handlers of aarch64 return to, as the kernel's vdso has it: with
 * functions before and behind it, and no entry of its own.
 */
asm(".text\n"
"	.globl before, trampoline, behind\n"
"before:\n"
"	.cfi_startproc\n"
"	ret\n"
"	.cfi_endproc\n"
"	nop\n"
"trampoline:\n"
"	mov x8, #139\n"
"	svc #0\n"
"behind:\n"
"	ret\n");
