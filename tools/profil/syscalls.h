/* SPDX-License-Identifier: MIT */
/* Names of system calls. */
#ifndef PROFIL_SYSCALLS_H
#define PROFIL_SYSCALLS_H

#include "model.h"

/* "pread64", or "syscall_N"; the string is the model's. */
const char *syscall_name(struct model *m, int number);

#endif /* PROFIL_SYSCALLS_H */
