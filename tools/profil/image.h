/* SPDX-License-Identifier: MIT */
/* Objects as they lie in memory, for a file that can't be opened. */
#ifndef PROFIL_IMAGE_H
#define PROFIL_IMAGE_H

#include "object.h"

/*
 * Reads an object from the memory of a process, where its file's beginning is
 * mapped at head.  Its bytes are laid out as in the file, so that it is read as
 * one; the sections that lead to the exported names and to .eh_frame are made.
 * Without such an object nothing is done.
 */
void image_read(struct object *object, int mem, uint64_t head);

#endif /* PROFIL_IMAGE_H */
