/* SPDX-License-Identifier: MIT */
/* The C library's profil(), which takes the samples where the kernel does not. */
#ifndef LIBPROFIL_LIBC_H
#define LIBPROFIL_LIBC_H

#include <sys/time.h>

#include "internal.h"

/* False: there is no such call here. */
HIDDEN bool profil_libc_find(void);

/* Both return 0, or -1 and errno.  start ends the profile that was on. */
HIDDEN int profil_libc_start(const struct profil_region *region);
HIDDEN int profil_libc_stop(void);

/*
 * Around a call that executes a program.  pause takes the timer away, if this
 * process has one for samples; resume is for a call that failed, and returns ret.
 * Both keep errno.  A child of vfork() shares its parent's memory, so in one they
 * write nothing there.
 */
HIDDEN void profil_libc_pause(struct itimerval *timer);
HIDDEN int profil_libc_resume(const struct itimerval *timer, int ret);

#endif /* LIBPROFIL_LIBC_H */
