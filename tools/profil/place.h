/* SPDX-License-Identifier: MIT */
/* Where a pc of a process lies: in which file, or else in what. */
#ifndef PROFIL_PLACE_H
#define PROFIL_PLACE_H

#include "process.h"

struct place {
	struct object *object;	/* and the offset in it; or NULL */
	uint64_t offset;
	const char *part;	/* no object: "[anonymous]", ... */
	const char *function;	/* made by the program itself, or NULL */
};

#define PLACE_ENDED	"[unmapped, ended]"

/* By the maps of the process, or of what it was forked from. */
bool place_find(struct process *p, uint64_t pc, struct place *place);
/* Of a process that ended before its maps were read: by what is known else. */
bool place_find_ended(struct process *p, uint64_t pc, struct place *place);

#endif /* PROFIL_PLACE_H */
