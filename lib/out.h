/* SPDX-License-Identifier: MIT */
/*
 * A file that is written whole or not at all, and nowhere but in its place: the
 * file that was there before stays if the new one can't be written.
 */
#ifndef LIBPROFIL_OUT_H
#define LIBPROFIL_OUT_H

#include <limits.h>
#include <stddef.h>

#include "internal.h"

/* Static, for what writes may have a small stack. */
struct profil_out {
	int fd;			/* of what is written */
	int old;		/* of the file that is there, or -1 */
	int error;		/* errno of the first write that failed */
	size_t used;
	char name[PATH_MAX];
	char beside[PATH_MAX];	/* name of what is written, or empty */
	unsigned char bytes[16384];
};

/* Both return 0, or -1 and errno. */
HIDDEN int profil_out_open(struct profil_out *out, const char *name);
HIDDEN int profil_out_close(struct profil_out *out);

HIDDEN void profil_out_put(struct profil_out *out, const void *data,
			   size_t len);

/* outwhy.c: says that no profile was written to name, why, and what to do. */
HIDDEN void profil_out_report(const char *name, int error);
/* The cause alone, as "is a symbolic link"; stays until the next call. */
HIDDEN const char *profil_out_why(const char *name, int error);

#endif /* LIBPROFIL_OUT_H */
