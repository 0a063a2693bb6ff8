/* SPDX-License-Identifier: MIT */
/* The callers and the callees of one function. */
#ifndef PROFIL_EDGES_H
#define PROFIL_EDGES_H

#include "frames.h"
#include "rows.h"

struct candidate_frame {
	uint32_t function;	/* the number of its frame */
	uint64_t total;		/* samples that have it, each once */
};

/* The functions that "[OBJECT:]FUNCTION" may mean: most samples first. */
struct candidate_frame *edges_find(struct frames *f, const char *name,
				   size_t *nr);

struct edges {
	const struct frame *function;
	uint64_t self, total;	/* samples, each once however often it is */
	struct rows rows;	/* self and total are the samples of a row */
};

/*
 * A row for each function that calls this one, or that it calls.  A row counts
 * a sample once, however often its path passes from one to the other.
 */
struct edges edges_make(struct frames *f, uint32_t function, bool callers);

#endif /* PROFIL_EDGES_H */
