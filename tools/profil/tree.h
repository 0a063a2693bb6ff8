/* SPDX-License-Identifier: MIT */
/* The picture's data: object > file > function > inlined > line. */
#ifndef PROFIL_TREE_H
#define PROFIL_TREE_H

#include <stdio.h>

#include "rows.h"

/*
 * Prints JSON: { "n": samples, "s": [string...], "r": [[name, object, self,
 * total]...], "t": node }; a node is [kind, name, samples, [node...]], kind one
 * of those below.  Names are indices of strings.
 */
enum tree_kind {
	TREE_ROOT, TREE_OBJECT, TREE_FILE, TREE_FUNCTION, TREE_INLINED, TREE_LINE
};

void tree_json(struct model *m, FILE *out);

#endif /* PROFIL_TREE_H */
