/* SPDX-License-Identifier: MIT */
/* Debug files from the servers that DEBUGINFOD_URLS names. */
#ifndef PROFIL_FETCH_H
#define PROFIL_FETCH_H

#include <stdbool.h>

/* From now on fetch_debug() alone asks, and not what else links the library. */
void fetch_prepare(void);
/* DEBUGINFOD_URLS was set. */
bool fetch_has_servers(void);

/*
 * The debug file of a build id, which libdebuginfod keeps in its cache; -1: the
 * servers lack it, or all questions together have taken 10 seconds.
 */
int fetch_debug(const char *path, const char *build_id);

#endif /* PROFIL_FETCH_H */
