/* SPDX-License-Identifier: MIT */
/* Copying samples of one model into another. */
#ifndef PROFIL_COPY_H
#define PROFIL_COPY_H

#include "model.h"

/* Names the side of a sample in a model of two profiles. */
#define LABEL_SIDE	"side"
#define SIDE_BASE	"base"
#define SIDE_NEW	"new"

/* How a copy differs from the original. */
struct copying {
	const char *side;	/* each sample gets this label, or NULL */
	const bool *kept;	/* these samples alone, or NULL: all */
	bool without_names;	/* locations at one address become one */
};

/*
 * Copies samples and the mappings, locations and functions that they use.  All
 * mappings are copied if all samples are.  A segment of a file is one mapping in
 * the copy, however it was mapped.  With a side, an object is known by the last
 * part of its path.
 */
void model_copy(struct model *to, const struct model *from,
		const struct copying *how);

/* Returns a model with the command, time and rate of m, and nothing else of it. */
struct model *model_new_like(const struct model *m);

#endif /* PROFIL_COPY_H */
