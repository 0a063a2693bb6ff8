/* SPDX-License-Identifier: MIT */
/* A profile in the formats of other programs. */
#ifndef PROFIL_EXPORT_H
#define PROFIL_EXPORT_H

#include <stdio.h>

#include "frames.h"

/* export_stacks.c: lines "outermost;...;innermost COUNT", as flamegraph.pl reads */
void export_folded(struct model *m, FILE *out);
/* A JSON object by the schema of speedscope. */
void export_speedscope(struct model *m, FILE *out);

/*
 * export_callgrind.c: functions with their lines, and what called what.  A call
 * has the samples of the function that was called, each once, so that the
 * inclusive cost of a function is its "total" in a report.
 */
void export_callgrind(struct model *m, FILE *out);

/*
 * export_gmon.c: gmon.out of the one object that has this path or name, with
 * counters of 16 bits for 2 bytes of text each.  Ends the program if the object
 * has no samples, or its file is not here.
 */
void export_gmon(struct model *m, const char *object, FILE *out);

/* export_pprof.c: mappings and addresses, with the names or without. */
void export_pprof(struct model *m, bool names, FILE *out);

#endif /* PROFIL_EXPORT_H */
