/* SPDX-License-Identifier: MIT */
/* Functions that a program made itself, as its perf-PID.map tells. */
#ifndef PROFIL_JIT_H
#define PROFIL_JIT_H

#include "object.h"

struct jit {
	struct jit_function {
		uint64_t start, size;
		const char *name;
		bool twice;	/* another was there since the read before */
	} *list;		/* by start; of two at one address the later */
	size_t nr;
	char *text;
	int64_t size, mtime_ns;	/* of the file that was read */
};

/*
 * Reads /tmp/perf-PID.map below the root if it has changed and is the user's.
 * An address that held two functions since the read before is named so, because
 * a sample may be of either.
 */
void jit_read(struct jit *jit, int root, pid_t inner_pid, uid_t uid);
const char *jit_find(const struct jit *jit, uint64_t pc);
void jit_free(struct jit *jit);

#endif /* PROFIL_JIT_H */
