/* SPDX-License-Identifier: MIT */
/* A view's tree: the samples of each path, in the order of a walk. */
#ifndef PROFIL_CALLS_H
#define PROFIL_CALLS_H

#include "frames.h"

/* A node; what is below it follows it, up to the next that is as deep. */
struct call {
	uint32_t frame;
	uint32_t depth;		/* 0: the root alone */
	uint32_t end;		/* the index behind what is below it */
	uint64_t self, total;	/* samples */
	uint64_t base_self, base_total;	/* of the other of two sides */
	/* Of FRAME_SMALL the nodes that it stands for, else 0. */
	uint32_t nr_folded;
};

struct calls {
	struct call *list;	/* siblings: most samples first, folded last */
	uint32_t nr;
	uint64_t least;		/* samples of a node that is not folded */
	uint64_t asked;		/* what it was before max raised it */
	uint32_t max;		/* nodes */
};

/*
 * Siblings of less than so many samples are folded into one node.  The limit is
 * raised to the lowest that makes at most max nodes, or the root alone.
 */
struct calls calls_make(const struct frames *f,
			const struct stacks *stacks, uint64_t least,
			uint32_t max);
void calls_free(struct calls *calls);

#endif /* PROFIL_CALLS_H */
