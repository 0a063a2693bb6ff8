/* SPDX-License-Identifier: MIT */
/* Call paths: how each ended, and adding one to the profile. */
#ifndef PROFIL_PATH_H
#define PROFIL_PATH_H

#include "model.h"

/* The kernel's numbers, which the first node of a path has as its pc. */
enum path_end {
	PATH_NONE,		/* no path: a plain pc, or another tool's file */
	PATH_WHOLE,
	PATH_CUT,		/* deeper than the kernel walks */
	PATH_NOT_READABLE,	/* stack that is in no memory */
	PATH_WILD,		/* a return address or stack pointer out of range */
	PATH_UNMAPPED,		/* a return address in no mapping */
	PATH_NO_RULE,		/* code that the tables leave out */
	PATH_NO_TABLES,		/* an object, or a process, without tables */
	PATH_NOT_64_BIT,
	PATH_NO_ROOM,		/* in the kernel's half: only the pc is there */
	NR_PATH_ENDS
};

/* The texts of LABEL_PATH; that of PATH_NONE is "". */
extern const char *const path_end_names[NR_PATH_ENDS];

/*
 * Adds samples of one path, as model_sample() does, with how it ended as one
 * label more.  Locations are leaf first.  That of the leaf has the pc; that of
 * a caller has the return address - 1, which lies within the call instruction;
 * that of code which a signal interrupted has its pc.
 */
void model_path(struct model *m, const uint32_t *locations,
		size_t nr_locations, enum path_end end,
		const struct label *labels, size_t nr_labels, uint64_t count,
		uint64_t ns);

enum path_end sample_path_end(const struct sample *sample);

/* The profile has call paths, by whatever tool. */
bool model_has_paths(const struct model *m);

/* The profile says of its paths how they ended: another tool's does not. */
bool model_has_path_ends(const struct model *m);

/*
 * What stands for the callers that a path does not show, allocated; NULL: it
 * shows all.  ends_said is what model_has_path_ends() returned.
 */
char *path_unseen_callers(const struct sample *sample, bool ends_said);

#endif /* PROFIL_PATH_H */
