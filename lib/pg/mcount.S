/* SPDX-License-Identifier: MIT */
/*
 * What the compiler calls in each function of a -pg program: finds the two
 * ends of the arc, and keeps every register that the function may still need.
 */
#include "entry.inc"

	.hidden	profil_arc_count
	.text

#if defined(__x86_64__) && defined(__LP64__)

	/* The stack is \pad bytes off its alignment when the call came. */
	.macro save pad
	subq	$(72 + \pad), %rsp
	.cfi_adjust_cfa_offset 72 + \pad
	movq	%rax, 0(%rsp)
	movq	%rcx, 8(%rsp)
	movq	%rdx, 16(%rsp)
	movq	%rsi, 24(%rsp)
	movq	%rdi, 32(%rsp)
	movq	%r8, 40(%rsp)
	movq	%r9, 48(%rsp)
	movq	%r10, 56(%rsp)
	movq	%r11, 64(%rsp)
	.endm

	.macro restore pad
	movq	0(%rsp), %rax
	movq	8(%rsp), %rcx
	movq	16(%rsp), %rdx
	movq	24(%rsp), %rsi
	movq	32(%rsp), %rdi
	movq	40(%rsp), %r8
	movq	48(%rsp), %r9
	movq	56(%rsp), %r10
	movq	64(%rsp), %r11
	addq	$(72 + \pad), %rsp
	.cfi_adjust_cfa_offset -(72 + \pad)
	.endm

/* After the prologue: the caller's address is beside the saved %rbp. */
	entry	_mcount
	_CET_ENDBR
	save	0
	movq	8(%rbp), %rdi
	movq	72(%rsp), %rsi
	call	profil_arc_count
	restore	0
	ret
	done	_mcount

/* Before it: both return addresses are on the stack. */
	entry	__fentry__
	_CET_ENDBR
	save	8
	movq	88(%rsp), %rdi
	movq	80(%rsp), %rsi
	call	profil_arc_count
	restore	8
	ret
	done	__fentry__

#elif defined(__i386__)

	.macro save
	pushl	%eax
	pushl	%ecx
	pushl	%edx
	.cfi_adjust_cfa_offset 12
	.endm

	.macro restore
	addl	$8, %esp
	popl	%edx
	popl	%ecx
	popl	%eax
	.cfi_adjust_cfa_offset -20
	.endm

	entry	_mcount
	_CET_ENDBR
	save
	pushl	12(%esp)
	pushl	4(%ebp)
	.cfi_adjust_cfa_offset 8
	call	profil_arc_count
	restore
	ret
	done	_mcount

	entry	__fentry__
	_CET_ENDBR
	save
	pushl	12(%esp)
	pushl	20(%esp)
	.cfi_adjust_cfa_offset 8
	call	profil_arc_count
	restore
	ret
	done	__fentry__

#elif defined(__aarch64__)

/* The compiler hands over the caller's address and expects an ordinary call. */
	entry	_mcount
	hint	#34			/* bti c */
	mov	x1, x30
	b	profil_arc_count
	done	_mcount

#else
#error "no mcount for this machine"
#endif

	/* For bind.c: these, whatever else the process has of the names. */
	.globl	profil_here_mcount
	.hidden	profil_here_mcount
	.set	profil_here_mcount, _mcount
#ifndef __aarch64__
	.globl	profil_here_fentry
	.hidden	profil_here_fentry
	.set	profil_here_fentry, __fentry__
	.globl	mcount
	.type	mcount, %function
	.set	mcount, _mcount
#endif

	/* What starts the profile, of the archive, comes with this. */
	.hidden	profil_startup
#if defined(__x86_64__)
	.reloc	0, R_X86_64_NONE, profil_startup
#elif defined(__i386__)
	.reloc	0, R_386_NONE, profil_startup
#else
	.reloc	0, R_AARCH64_NONE, profil_startup
#endif

	.section .note.GNU-stack, "", %progbits
