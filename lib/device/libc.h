/* SPDX-License-Identifier: MIT */
/* The C library's profil(), which takes the samples where the kernel does not. */
#ifndef LIBPROFIL_LIBC_H
#define LIBPROFIL_LIBC_H

#include "internal.h"

/* False: there is no such call here. */
HIDDEN bool profil_libc_find(void);

/* Both return 0, or -1 and errno.  start ends the profile that was on. */
HIDDEN int profil_libc_start(const struct profil_region *region);
HIDDEN int profil_libc_stop(void);

#endif /* LIBPROFIL_LIBC_H */
