/* SPDX-License-Identifier: MIT */
/* The callers and callees of a function for other programs. */
#ifndef PROFIL_EDGES_OUT_H
#define PROFIL_EDGES_OUT_H

#include "edges.h"
#include "rows_out.h"

void edges_csv(const struct report *report);
void edges_json(const struct report *report, const struct edges *edges);

#endif /* PROFIL_EDGES_OUT_H */
