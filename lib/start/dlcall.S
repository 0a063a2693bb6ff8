/* SPDX-License-Identifier: MIT */
/*
 * dlopen and dlmopen: ask dl.c where to go, with the arguments and with the
 * address of the caller, and go there as if it had been called by that one.
 */
#include <features.h>

#include "entry.inc"

	.text

#if defined(__x86_64__) && defined(__LP64__)

	.macro ask name
	entry	\name
	_CET_ENDBR
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	.cfi_adjust_cfa_offset 24
	movq	24(%rsp), %rcx
	call	profil_\name\()_to
	popq	%rdx
	popq	%rsi
	popq	%rdi
	.cfi_adjust_cfa_offset -24
	jmp	*%rax
	done	\name
	.endm

#elif defined(__i386__)

	.macro ask name
	entry	\name
	_CET_ENDBR
	subl	$12, %esp
	.cfi_adjust_cfa_offset 12
	pushl	12(%esp)
	pushl	28(%esp)
	pushl	28(%esp)
	pushl	28(%esp)
	.cfi_adjust_cfa_offset 16
	call	profil_\name\()_to
	addl	$28, %esp
	.cfi_adjust_cfa_offset -28
	jmp	*%eax
	done	\name
	.endm

#elif defined(__aarch64__)

	.macro ask name
	entry	\name
	hint	#34			/* bti c */
	stp	x0, x1, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	stp	x2, x30, [sp, #16]
	.cfi_offset 30, -8
	mov	x3, x30
	bl	profil_\name\()_to
	mov	x16, x0
	ldp	x2, x30, [sp, #16]
	ldp	x0, x1, [sp], #32
	.cfi_restore 30
	.cfi_adjust_cfa_offset -32
	br	x16
	done	\name
	.endm

#else
#error "no dlopen for this machine"
#endif

	.hidden	profil_dlopen_to
	ask	dlopen
#if defined(__GLIBC__)
	.hidden	profil_dlmopen_to
	ask	dlmopen
#endif

	.section .note.GNU-stack, "", %progbits
