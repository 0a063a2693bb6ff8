/* SPDX-License-Identifier: MIT */
/* The sources of the hottest functions, as the picture's data. */
#ifndef PROFIL_HEAT_H
#define PROFIL_HEAT_H

#include <stdio.h>
#include <time.h>

#include "model.h"

/*
 * Prints a JSON list of at most 100 functions with 0.5 % of the samples, hottest
 * first: { "name", "object", "file", "newer": the file was written after the
 * profile, "samples": of the function itself, "first": number of the first line,
 * "lines": [text...], "self": [samples...] } with at most 60 lines.
 */
void heat_json(const struct model *m, time_t written, FILE *out);

#endif /* PROFIL_HEAT_H */
