/* SPDX-License-Identifier: MIT */
/* The picture's page, whole, with places for its head and its data. */
	.section .rodata
	.globl page_text
page_text:
	.incbin "page.html"
	.byte 0
	.section .note.GNU-stack, "", %progbits
