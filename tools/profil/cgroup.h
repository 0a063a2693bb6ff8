/* SPDX-License-Identifier: MIT */
/* The cgroup of a process: the container, unit or session that it is of. */
#ifndef PROFIL_CGROUP_H
#define PROFIL_CGROUP_H

#include <sys/types.h>

/*
 * Its path, allocated, as this process sees it; NULL if it is that of this process
 * itself, or not known.
 */
char *cgroup_of(pid_t pid);

#endif /* PROFIL_CGROUP_H */
