// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of work.h.
 */
#include "work.h"

asm(".pushsection work, \"ax\", @progbits\n"
    ".balign 8192\n"
    ".globl work_text\n"
    "work_text:\n"
    ".set k, 1\n"
    ".rept 20\n"
    ".fill 256 * k, 1, 0x90\n"
    "ret\n"
    ".balign 8192, 0xcc\n"
    ".set k, k + 1\n"
    ".endr\n"
    ".popsection\n");
