/* SPDX-License-Identifier: MIT */
/* A sample's path becomes places, and is looked at: can it be a path? */
#ifndef PROFIL_PATHS_H
#define PROFIL_PATHS_H

#include "place.h"

/* place_find(), or another. */
typedef bool find_place(struct process *p, uint64_t pc, struct place *place);

/*
 * The places of a sample's pcs: of the innermost where it is, of a caller where
 * it calls.  Returns how many there are, 0 if one is not known yet; last: none
 * will be.  A path that can't be one is cut there, and no longer ends as whole.
 */
size_t paths_find(struct process *p, struct pending *sample, find_place *find,
		  bool last, struct place *places);

/* What was looked at in objects that are about to be freed. */
void paths_forget(void);

#endif /* PROFIL_PATHS_H */
