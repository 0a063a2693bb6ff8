/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text of known cost and a clock that counts instructions, for every program of
 * the benchmark.
 *
 * Function i, of NR_FUNCTIONS, is at work_text + i * SLOT and consists of
 * work_cost(i) instructions.  They are nearly all nops: an emulator runs those
 * so fast that a guest's minute takes a second.
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HZ		250
#define TICK		(1000000000 / HZ)	/* instructions, in ns */
#define NR_FUNCTIONS	20
#define SLOT		8192			/* bytes of text */
#define TEXT		(NR_FUNCTIONS * SLOT)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

extern char work_text[];

static inline void work(int i)
{
	((void (*)(void))(work_text + i * SLOT))();
}

/* A nop is a byte, and the last instruction is the return. */
static inline uint64_t work_cost(int i)
{
	return 256 * (i + 1) + 1;
}

/* Reads the instructions that the machine has executed, with -icount. */
static inline uint64_t now(void)
{
	return __builtin_ia32_rdtsc();
}

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

#endif /* WORK_H */
