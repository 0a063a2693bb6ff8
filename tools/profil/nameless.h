/* SPDX-License-Identifier: MIT */
/* Objects with functions that have no name, and what would name them. */
#ifndef PROFIL_NAMELESS_H
#define PROFIL_NAMELESS_H

#include <stdio.h>

#include "model.h"

/* A line for each of the few with most samples, after names were looked for. */
void nameless_print(FILE *out, const struct model *m);

#endif /* PROFIL_NAMELESS_H */
