/* SPDX-License-Identifier: MIT */
/* Functions by address, kept while they are seen, for what is shown live. */
#ifndef PROFIL_KNOWN_H
#define PROFIL_KNOWN_H

#include "model.h"
#include "object.h"

/*
 * Gives the locations of a model their functions.  An object's symbols are read
 * for functions that are new, for a small part of the time: what is not named
 * yet gets its name in a model to come.
 */
void known_names(struct model *m);
/* The object is about to be freed. */
void known_forget(const struct object *object);

#endif /* PROFIL_KNOWN_H */
