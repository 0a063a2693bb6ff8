/* SPDX-License-Identifier: MIT */
/* The processes of the system, to choose those that attach takes. */
#ifndef PROFIL_PROCS_H
#define PROFIL_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct procs {
	struct proc {
		pid_t pid, ppid;
		char comm[64];
		char *exe;	/* its last part, or "" if that can't be read */
		bool marked;
	} *list;
	size_t nr;
};

struct procs procs_read(void);
void procs_free(struct procs *procs);

/* Each returns how many it marked; this process is not marked by name. */
size_t procs_mark_name(struct procs *procs, const char *name);
size_t procs_mark_pid(struct procs *procs, pid_t pid);
/* Marks what descends from those that are marked. */
void procs_mark_descendants(struct procs *procs);
/* That no process has the name, and which have one like it. */
void procs_say_similar(const struct procs *procs, const char *name);

#endif /* PROFIL_PROCS_H */
