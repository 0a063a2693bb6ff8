/* SPDX-License-Identifier: MIT */
/* Locations get the functions that an object's symbols name. */
#ifndef PROFIL_NAMING_H
#define PROFIL_NAMING_H

#include "model.h"
#include "symbols.h"

/* By the linker's address; the location stays as it is if no name is known. */
void naming_set(struct model *m, uint32_t location, uint64_t address,
		const struct names *names);

/* A name as the linker has it, and as people read it; both allocated. */
void naming_texts(const struct name *name, char **raw, char **readable);
void naming_set_texts(struct model *m, uint32_t location, const char *raw,
		      const char *readable);

/* It has no function, or one that is named by its place: "libx.so+0x1230". */
bool naming_lacks(const struct model *m, const struct location *loc);

/*
 * Names of an open object for those that lack one.  Its addresses are those of
 * the linker, which are found by what elf says of its segments; NULL: they are
 * the location's.
 */
void naming_add(struct model *m, const uint32_t *ids, size_t nr, int fd,
		struct Elf *elf);

#endif /* PROFIL_NAMING_H */
