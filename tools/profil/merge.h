/* SPDX-License-Identifier: MIT */
/* Several profiles as one: the files that a command is given, and their sum. */
#ifndef PROFIL_MERGE_H
#define PROFIL_MERGE_H

#include <time.h>

#include "copy.h"
#include "model.h"
#include "only.h"

/* What the options -i named, in their order. */
struct inputs {
	const char **list;
	size_t nr;
	struct only only;
	char *name;	/* for messages, or NULL */
};

void inputs_add(struct inputs *inputs, const char *path);
void inputs_free(struct inputs *inputs);

/*
 * Reads them, or the default file without one, and sums their samples.  Files
 * with different rates end the program; other differences are notes.  The sum has
 * the samples that fit inputs->only.
 */
struct model *inputs_read(struct inputs *inputs, time_t *written);
/* A name for messages: of the file, the sum, or the part of it. */
const char *inputs_name(struct inputs *inputs);

/*
 * Adds samples, books and notes to those of the sum.  One segment of one file
 * is one mapping there, however it was mapped.  With a side, each sample gets
 * the label, and an object is known by the last part of its path.
 */
void model_merge(struct model *sum, const struct model *from, const char *side);

#endif /* PROFIL_MERGE_H */
