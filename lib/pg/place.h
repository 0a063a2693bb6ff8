/* SPDX-License-Identifier: MIT */
/* The place for the files of a process that profiles its shared objects. */
#ifndef LIBPROFIL_PLACE_H
#define LIBPROFIL_PLACE_H

#include "internal.h"

/* Learns the program's name, for which it may be too late at the end. */
HIDDEN void profil_place_begin(void);
/*
 * Makes the place, if this process has not yet.  Returns 0, or -1 and errno
 * with the name of what could not be made in profil_place_path().
 */
HIDDEN int profil_place_make(void);
HIDDEN const char *profil_place_path(void);
HIDDEN bool profil_place_prefixed(void);
/* The file of an object, or of the program (NULL); false if it has no place. */
HIDDEN bool profil_place_name(const char *object, char *name, size_t size);
/* Says where it is, once. */
HIDDEN void profil_place_tell(void);

/*
 * latest.c: names in the working directory for the files of the program that
 * ended last.  begin takes away those of the one before, and returns
 * false where there can be no such names; add is for one object.
 */
HIDDEN bool profil_latest_begin(const char *path);
HIDDEN void profil_latest_add(const char *path, const char *object);
HIDDEN void profil_latest_end(void);

#endif /* LIBPROFIL_PLACE_H */
