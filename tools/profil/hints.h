/* SPDX-License-Identifier: MIT */
/* What would show more than a profile does. */
#ifndef PROFIL_HINTS_H
#define PROFIL_HINTS_H

#include <stdio.h>

#include "model.h"

/* A line for each: notes in the file, an interpreter, code made at run time. */
void hints_print(FILE *out, const struct model *m);
/* Why a recording has no samples that was off all the time, or NULL. */
const char *hint_never_on(const struct books *books);

#endif /* PROFIL_HINTS_H */
