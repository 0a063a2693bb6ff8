/* SPDX-License-Identifier: MIT */
/* The picture's data: the views of a profile, and its table. */
#ifndef PROFIL_TREE_H
#define PROFIL_TREE_H

#include <stdio.h>

#include "changes.h"

/*
 * Prints JSON: { "n": samples, "paths": has call paths, "r": [[name, object,
 * self, total]...], "v": { view: { "least": samples of a node that is not
 * folded, "up": [...], "next": [...], "new": [...], "self": [...] }...},
 * "f": [[kind, name, object]...], "s": [string...] }.
 *
 * Names and objects are indices of strings, kinds those of enum frame_kind.
 * The lists of a view have an element for each node in the order of a walk.
 * "up" is how many levels it goes up from the node before; 0: it is below that
 * one.  "self" is its samples without those of nodes below it.  "next" says
 * which frame it has: the n-th that a node of the frame above had below it in
 * any view before, by the order of appearance; 0: another one, which is the
 * next element of "new".  So a page is half as large as with frames' numbers.
 *
 * Of two sides, changes is what differs.  Then "n" and "self" are those of the
 * new one, "n0" and a view's "base" those of the other; and "r" is [[name,
 * object, share in the base, in the new, 1 if it changed]...].
 */
void tree_json(struct model *m, const struct changes *changes, FILE *out);

#endif /* PROFIL_TREE_H */
