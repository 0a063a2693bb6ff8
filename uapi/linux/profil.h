/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * The first name of <profil/ioctl.h>, for sources that have it.  It is not
 * installed, because /usr/include/linux belongs to the kernel's own headers.
 */
#include <profil/ioctl.h>
