/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the program unit share: test points, and a table of arcs. */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "dso/dso.h"

#define THREADS	8
#define CALLS	100000
#define LOW	0x400000UL

/* From points.h, which counts the points of one file alone. */
void tested(bool good, const char *name);

/* The table that is on after a reset, with room for nr arcs. */
extern struct profil_arcs unit_arcs;
void unit_arcs_reset(uint32_t nr);

void test_arcs(void);
void test_wide_arcs(void);
void test_cut(void);
void test_file(void);
void test_arguments(void);

/* For gprof: two counters and an arc that no one record can hold. */
void write_big(uintptr_t low, uintptr_t high, uintptr_t pc_one,
	       uintptr_t pc_two);

#endif /* UNIT_H */
