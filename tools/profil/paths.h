/* SPDX-License-Identifier: MIT */
/* A sample's path becomes places, and is looked at: can it be a path? */
#ifndef PROFIL_PATHS_H
#define PROFIL_PATHS_H

#include "place.h"

/* place_find(), or another. */
typedef bool find_place(struct process *p, uint64_t pc, struct place *place);

/*
 * A path and its places, outermost first.  Paths that follow each other have most
 * of their callers in common, and these are looked at once.
 */
struct placed {
	struct callee {
		uint64_t pc;
		bool exact;		/* the pc is where it is, not where it calls */
		struct place place;
		uint32_t location;	/* in the model, see attribute_sample() */
	} list[DEPTH_MAX];
	size_t nr;			/* of the sample; 0: no path is remembered */
	size_t same;			/* of these as in the path before */
	uint32_t end;
};

/*
 * The places of a sample's pcs: of the innermost where it is, of a caller where
 * it calls.  Returns how many there are, from the innermost on; 0 if one is not
 * known yet; last: it never will be.  A path that can't be one is cut there, and no
 * longer ends as whole.  The path before was the same process's, and
 * its maps have not changed since.
 */
size_t paths_find(struct process *p, struct pending *sample, find_place *find,
		  bool last, struct placed *placed);

/* What was looked at in objects that are about to be freed. */
void paths_forget(void);

#endif /* PROFIL_PATHS_H */
