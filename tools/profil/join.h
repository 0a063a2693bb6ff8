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
	size_t left_out;	/* that the process had started before */
};

/* The value of -p; false after a message. */
bool join_option(struct join *j, const char *text);
/* The value of Yama's ptrace_scope; '0' if the kernel has no Yama. */
char yama_scope(void);

/* How many were joined; says why others were not. */
size_t join_processes(struct join *j);
/* A server's workers are what its user means, more often than not. */
void join_say_left_out(size_t nr);

#endif /* PROFIL_JOIN_H */
