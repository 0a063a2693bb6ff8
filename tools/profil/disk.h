/* SPDX-License-Identifier: MIT */
/* The object of a mapping as it is on disk today, if it still is that. */
#ifndef PROFIL_DISK_H
#define PROFIL_DISK_H

#include <libelf.h>

#include "model.h"

/*
 * An open descriptor of the file; or -1 and *why, allocated: it is missing, is
 * another file than the one that ran (build id, or written since), or can't
 * be read.
 */
int disk_open(const struct model *m, const struct mapping *mapping, char **why);

/* What a message adds about a file that is not there: where another may be, or "". */
const char *disk_hint(const struct mapping *mapping);

/* The linker's address of an offset in the file; false outside of all segments. */
bool disk_address(Elf *elf, uint64_t offset, uint64_t *address);

#endif /* PROFIL_DISK_H */
