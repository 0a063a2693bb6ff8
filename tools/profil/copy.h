/* SPDX-License-Identifier: MIT */
/* A part of a profile as a profile of its own. */
#ifndef PROFIL_COPY_H
#define PROFIL_COPY_H

#include "model.h"

/*
 * Copies the samples that are kept, all if kept is NULL, and what they use.
 * Without names, locations at one address become one.  Threads are not copied.
 */
struct model *model_copy(const struct model *m, const bool *kept, bool names);

#endif /* PROFIL_COPY_H */
