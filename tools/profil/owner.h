/* SPDX-License-Identifier: MIT */
/* The process, thread and cgroup of a sample. */
#ifndef PROFIL_OWNER_H
#define PROFIL_OWNER_H

#include "model.h"

/* Stands for the cgroup of a sample without that label. */
#define CGROUP_OF_PROFIL	"[that of profil, or not known]"

/*
 * A sample of another tool may lack each label.  A thread has the last name that
 * was recorded of it, so that one thread is one row.
 */
struct owner {
	const char *program;	/* or "[unknown]" */
	int64_t pid;		/* or 0 */
	const char *thread;	/* or program */
	int64_t tid;		/* or pid */
	const struct thread_time *time;	/* or NULL */
};

/* Strings belong to the model. */
struct owner owner_of(struct model *m, const struct sample *sample);
const char *owner_program(struct model *m, const struct sample *sample);
const char *owner_cgroup(struct model *m, const struct sample *sample);

#endif /* PROFIL_OWNER_H */
