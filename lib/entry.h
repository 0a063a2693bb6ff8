/* SPDX-License-Identifier: MIT */
/* How a function of assembly begins and ends. */
#ifndef LIBPROFIL_ENTRY_H
#define LIBPROFIL_ENTRY_H

#if defined(__CET__) && __has_include(<cet.h>)
#include <cet.h>
#endif
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

	.macro entry name
	.globl	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	.endm

	.macro done name
	.cfi_endproc
	.size	\name, . - \name
	.endm

#endif /* LIBPROFIL_ENTRY_H */
