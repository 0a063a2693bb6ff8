/* SPDX-License-Identifier: MIT */
/* Source lines and inlined functions, by the DWARF of the files that ran. */
#ifndef PROFIL_LINES_H
#define PROFIL_LINES_H

#include <elfutils/libdwfl.h>

#include "model.h"

/*
 * Gives each location that its object's DWARF knows its inline chain.  A file
 * that is not the one that ran is told of, unless quiet.
 */
void lines_resolve(struct model *m, bool quiet);
/* Names alone, by .symtab of the object's or of its debug file: no DWARF. */
void lines_names(struct model *m);

/* A pc of which the lines are wanted. */
struct place {
	uint64_t address;	/* as DWARF has it */
	uint32_t location;	/* in the model */
	/* For inline.c. */
	int node;		/* innermost function, or -1 */
	size_t unit;		/* the last that has it, from 1 on */
	bool is_set;		/* has lines */
};

/* inline.c: places are sorted by address. */
void inline_resolve(struct model *m, Dwarf *dwarf, struct place *places,
		    size_t nr);

#endif /* PROFIL_LINES_H */
