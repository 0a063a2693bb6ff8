/* SPDX-License-Identifier: MIT */
/*
 * Functions that a program made itself, as its perf-PID.map or its jitdump tells,
 * and at what time each was where.
 */
#ifndef PROFIL_JIT_H
#define PROFIL_JIT_H

#include "object.h"

struct table;

/* A function was put there at a time, over what was there before. */
struct jit_code {
	uint64_t start, size;
	uint64_t reach;		/* the highest end of this and all before it */
	int64_t time_ns;	/* CLOCK_MONOTONIC */
	const char *name;
	uint32_t number;	/* in the order of the file */
};

struct jit {
	struct jit_code *list;	/* by start, then by time */
	size_t nr;
	char **texts;		/* memory of names */
	size_t nr_texts;
	int fd;			/* of the map or of a dump that is no object, or -1 */
	bool is_dump, broken;
	bool timed;		/* the times are the program's own */
	uint64_t dev, ino;
	int64_t read_to;	/* bytes of the file */
	int64_t told_ns;	/* all before this time has been told */
	struct jit_named {	/* by their number in the dump, for moves */
		uint64_t index;
		const char *name;
	} *named;
	size_t nr_named;
	struct table *by_index;
};

#define JIT_NEW	((struct jit){ .fd = -1 })

/*
 * Reads what is new in /tmp/perf-PID.map below the root, if that is the user's.
 * Its lines have no time: they count as made between two reads.
 */
void jit_read_map(struct jit *jit, int root, pid_t inner_pid, uid_t uid,
		  int64_t now_ns);
/* The same of a jitdump; jit_dump.c. */
void jit_read_dump(struct jit *jit, int fd, uid_t uid, int64_t now_ns);

/*
 * The function at a pc between two times, or NULL.  An address that held two of
 * them is named so, because a sample may be of either.
 */
const char *jit_find(const struct jit *jit, uint64_t pc, int64_t since_ns,
		     int64_t until_ns);
/* The file may yet tell of that time, because it is written late. */
bool jit_is_late(const struct jit *jit, const char *found, int64_t until_ns);

/* For what reads a file: one more function, whose name lives on. */
void jit_add(struct jit *jit, const struct jit_code *code);
/* Memory for size bytes of names, which is the jit's. */
char *jit_text(struct jit *jit, size_t size);
/* After the last of some. */
void jit_sort(struct jit *jit);
void jit_free(struct jit *jit);

#endif /* PROFIL_JIT_H */
