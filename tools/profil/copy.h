/* SPDX-License-Identifier: MIT */
/* A part of a profile as a profile of its own. */
#ifndef PROFIL_COPY_H
#define PROFIL_COPY_H

#include "model.h"

/*
 * Copies the samples that are kept and what they use, or all if kept is NULL.
 * Without names, locations at one address become one.  Neither threads nor
 * comments are copied.
 */
struct model *model_copy(const struct model *m, const bool *kept, bool names);

#endif /* PROFIL_COPY_H */
