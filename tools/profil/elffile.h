/* SPDX-License-Identifier: MIT */
/* What the program headers of an object say. */
#ifndef PROFIL_ELFFILE_H
#define PROFIL_ELFFILE_H

#include "object.h"

/* Segments, entry, loader and build-id, from the object's file or memory. */
void elffile_read(struct object *object);
/* Of a file that can't be opened: from where its beginning is mapped. */
void elffile_read_mapped(struct object *object, int mem, uint64_t head);

#endif /* PROFIL_ELFFILE_H */
