/* SPDX-License-Identifier: MIT */
/* The calls that execute a program, where the C library's are not known yet. */
#ifndef LIBPROFIL_RAWEXEC_H
#define LIBPROFIL_RAWEXEC_H

#include "internal.h"

HIDDEN int profil_raw_execve(const char *path, char *const argv[],
			     char *const envp[]);
HIDDEN int profil_raw_execveat(int dir, const char *path, char *const argv[],
			       char *const envp[], int flags);
/* Search PATH, and leave a file with no known format to the shell. */
HIDDEN int profil_raw_execvpe(const char *file, char *const argv[],
			      char *const envp[]);

#endif /* LIBPROFIL_RAWEXEC_H */
