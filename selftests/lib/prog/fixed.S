/* SPDX-License-Identifier: GPL-2.0-only */
/* Text of known sizes, for profiles that are made up: nobody runs it. */
	.text
	.macro	function name, size
	.type	\name, %function
\name:
	.skip	\size, 0x90
	.size	\name, . - \name
	.endm

	.globl	alpha, beta, _alpha
	.set	_alpha, alpha
	function alpha, 256
	function beta, 256
	function hidden, 100
label:
	.skip	28, 0x90
	function idle, 128
	.section .note.GNU-stack, "", %progbits
