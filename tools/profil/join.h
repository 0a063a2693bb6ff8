/* SPDX-License-Identifier: MIT */
/* Which running processes are joined, for attach and top. */
#ifndef PROFIL_JOIN_H
#define PROFIL_JOIN_H

#include "observe.h"

struct join {
	const char *command;	/* of profil, for what it says */
	const struct observer *observer;
	const char *name;	/* or NULL: pid */
	pid_t pid;
	bool descendants, follow;
	bool quiet;		/* not which processes have the name */
};

/* The value of -p; false after a message. */
bool join_option(struct join *j, const char *text);
/* The value of Yama's ptrace_scope; '0' if the kernel has no Yama. */
char yama_scope(void);

/* How many were joined; says why others were not. */
size_t join_processes(const struct join *j);

#endif /* PROFIL_JOIN_H */
