/* SPDX-License-Identifier: MIT */
/* Debug files: where the names and lines of a stripped object are. */
#ifndef PROFIL_DEBUG_H
#define PROFIL_DEBUG_H

#include <stdbool.h>

struct Elf;

/* A directory to search first, as --debug-dir says; it stays the caller's. */
void debug_search(const char *directory);
/* That directory, or NULL. */
const char *debug_searched(void);
/* Whether debuginfod may be asked; it is not before this. */
void debug_may_fetch(bool may);

/*
 * The debug file of an object, by its build id (or NULL) or by the name in its
 * .gnu_debuglink (elf may be NULL).  It has the same build id or the checksum
 * that the object tells.  Returns a descriptor, or -1.
 */
int debug_open(const char *path, const char *build_id, struct Elf *elf);

/*
 * The symbols that .gnu_debugdata holds, as an ELF file in memory; NULL without
 * that section.  *memory is to be freed after elf_end().
 */
struct Elf *debug_unpack(struct Elf *elf, void **memory);

/* An ELF file's build id in hexadecimal, allocated; "" without one. */
char *debug_build_id(struct Elf *elf);

#endif /* PROFIL_DEBUG_H */
