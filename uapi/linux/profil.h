/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/* Not installed: for programs that are built with -Iuapi from this tree. */
#include <profil/ioctl.h>
