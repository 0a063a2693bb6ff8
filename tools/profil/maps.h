/* SPDX-License-Identifier: MIT */
/* What is mapped as text in one process, as /proc/PID/maps told it. */
#ifndef PROFIL_MAPS_H
#define PROFIL_MAPS_H

#include "object.h"

struct map {
	uint64_t start, end;
	uint64_t offset;	/* in the object's file */
	struct object *object;	/* NULL: memory without a file */
	const char *name;	/* then "[stack]", "[anonymous]", ... */
};

struct maps {
	struct map *list;	/* by address, without overlaps */
	size_t nr;
	size_t nr_lines;	/* of all memory, when it was read last */
	bool whole;		/* no text was left out then */
};

/*
 * An address that has to lie in the executable; 0 for no check.  Its path stands
 * in for device and inode where the file system shows two of each.
 */
struct maps_check {
	uint64_t address, dev, ino;
	const char *path;
};

/*
 * Takes in what /proc/PID/maps says now.  What it no longer has stays, for pcs
 * that were counted before, unless something else is there now.  Returns false
 * if it can't be read, or does not pass the check.
 */
bool maps_read(struct maps *maps, const struct view *view,
	       const struct maps_check *check);
/* Its objects are in use. */
void maps_use(const struct maps *maps);
const struct map *maps_find(const struct maps *maps, uint64_t pc);
void maps_free(struct maps *maps);

#endif /* PROFIL_MAPS_H */
