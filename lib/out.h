/* SPDX-License-Identifier: MIT */
/* A file that is written whole or left empty, and nowhere but in its place. */
#ifndef LIBPROFIL_OUT_H
#define LIBPROFIL_OUT_H

#include <stddef.h>

#include "internal.h"

/* Static, for what writes may have a small stack. */
struct profil_out {
	int fd;
	int error;		/* errno of the first write that failed */
	size_t used;
	unsigned char bytes[16384];
};

/* Both return 0, or -1 and errno. */
HIDDEN int profil_out_open(struct profil_out *out, const char *name);
HIDDEN int profil_out_close(struct profil_out *out);

HIDDEN void profil_out_put(struct profil_out *out, const void *data,
			   size_t len);

#endif /* LIBPROFIL_OUT_H */
