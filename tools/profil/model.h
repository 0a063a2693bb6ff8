/* SPDX-License-Identifier: MIT */
/*
 * A profile in memory: a plain mirror of pprof's profile.proto.
 *
 * Ids begin at 1 and index the arrays; 0 is no id.  Strings are
 * interned: two equal ones are one pointer, and "" is m->empty.  All memory
 * belongs to the model, so that callers may free what they passed in.
 *
 * One object's segment is one mapping, in how many processes and at how many
 * addresses it was mapped.  A pc of another process is moved to the addresses
 * of the mapping that came first:
 *
 *	address = mapping->start + file offset of the pc - mapping->offset
 */
#ifndef PROFIL_MODEL_H
#define PROFIL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, limit;	/* addresses; start < limit, or both 0 */
	uint64_t offset;	/* in the file, of start */
	const char *path;	/* or "[vdso]", "[unmapped, ended]", ... */
	const char *build_id;	/* lower-case hexadecimal, or "" */
};

struct function {
	const char *name;	/* demangled */
	const char *system_name;/* as the linker has it, or "" */
	const char *file;	/* source, or "" */
	int64_t start_line;	/* or 0 */
};

/* One element of an inline chain, which has at most LINES_MAX. */
#define LINES_MAX	512

struct line {
	uint32_t function;
	int64_t line;		/* or 0 */
};

struct location {
	uint32_t mapping;
	uint64_t address;
	struct line *lines;	/* innermost first */
	size_t nr_lines;	/* 0 where there is no name */
};

/* A label has a string, or (where str is NULL) a number. */
struct label {
	const char *key;	/* one of the LABEL_ below */
	const char *str;
	int64_t num;
};

#define LABELS_FEW	8	/* as many as a sample of our own has */

#define LABEL_PROGRAM	"program"	/* string: name of the program */
#define LABEL_PID	"pid"		/* number */
#define LABEL_THREAD	"thread"	/* string: the thread's comm */
#define LABEL_TID	"tid"		/* number */
#define LABEL_CGROUP	"cgroup"	/* string: its path; none: profil's own */
#define LABEL_KIND	"kind"		/* string: one of the KIND_ below */
#define LABEL_SYSCALL	"syscall"	/* string: its name, or "syscall_N" */
#define LABEL_PATH	"path"		/* string: how it ended, see path.h */

#define KIND_USER	"user"
#define KIND_SYSCALL	"system call"
#define KIND_FAULT	"fault"

struct sample {
	uint32_t *locations;	/* leaf first; one alone without call paths */
	size_t nr_locations;
	struct label *labels;
	size_t nr_labels;
	uint64_t count;		/* samples */
	uint64_t ns;		/* count x period */
};

/*
 * What the kernel said, in samples: seen = counted + unplaced + refused + lost.
 * The file holds each as a comment "NAME: NUMBER".
 */
struct books {
	uint64_t seen;
	uint64_t counted;
	uint64_t unplaced;	/* the table was full */
	uint64_t refused;	/* the process had become private */
	uint64_t lost;		/* the machine stood still, or was throttled */
	uint64_t left;		/* processes: set-user-ID programs */
	uint64_t not_followed;	/* processes: no memory at their fork */
	uint64_t wall_ns;	/* how long the recording was on */
	uint64_t cpu_ns;	/* CPU time of all followed meanwhile */
	uint64_t off;		/* samples while it was off, in none of these */
	uint64_t off_wall_ns, off_cpu_ns;
};

/*
 * What a thread used while it was recorded.  The file holds each as a comment
 * "thread: PID TID CPU_NS WAIT_NS READ_NS LENGTH:NAME PROGRAM".
 */
struct thread_time {
	int64_t pid, tid;
	const char *name, *program;
	uint64_t cpu_ns;
	uint64_t wait_ns;	/* runnable, but not on a CPU */
	uint64_t read_ns;	/* CPU time by when wait_ns was read; 0: never */
};

struct table;			/* hash.h */

struct model {
	struct mapping *mappings;	/* [1] is the first of each */
	struct function *functions;
	struct location *locations;
	struct sample *samples;		/* [0] is the first, samples have no id */
	uint32_t nr_mappings;		/* the highest id */
	uint32_t nr_functions;
	uint32_t nr_locations;
	size_t nr_samples;
	const char **comments;		/* other than command and books */
	size_t nr_comments;
	struct thread_time *threads;
	size_t nr_threads;
	const char *command;		/* the command line, for people */
	const char *only;		/* "process prog": of a part; or "" */
	bool had_paths, had_path_ends;	/* of a part: the whole had some */
	struct books books;
	int64_t time_ns;		/* of the begin, since 1970 */
	int64_t duration_ns;
	uint64_t rate;			/* samples a second of CPU time */
	const char **texts;		/* the strings, "" is [0] */
	uint32_t nr_texts;
	const char *empty;
	const char *recent[64];		/* by where the text lay */
	size_t size;			/* about that of its file, in bytes */
	size_t size_max;		/* no new paths above it; 0: no limit */
	struct table *strings, *by_mapping, *by_function, *by_location;
	struct table *by_sample, *by_thread;
};

struct model *model_new(void);
void model_free(struct model *m);

/* The one copy of text; NULL is taken for "". */
const char *model_string(struct model *m, const char *text);
const char *model_string_n(struct model *m, const char *text, size_t length);

/* The index in m->texts of what these returned. */
uint32_t model_string_nr(const char *interned);

/* Each returns the id of an equal one that is there, or of a new one. */
uint32_t model_mapping(struct model *m, const struct mapping *mapping);
uint32_t model_function(struct model *m, const struct function *function);
/* By mapping and address alone; that it is new is told by nr_lines == 0. */
uint32_t model_location(struct model *m, uint32_t mapping, uint64_t address);
/* A new one, which model_location() does not find. */
uint32_t model_new_location(struct model *m, uint32_t mapping,
			    uint64_t address);

/* Replaces the location's lines. */
void model_set_lines(struct model *m, uint32_t location,
		     const struct line *lines, size_t nr);

/*
 * Adds to a sample with the same locations, at least one, and the same labels,
 * or makes one.  Above size_max, a new one has its leaf alone, and a path that
 * ended for want of room.
 */
void model_sample(struct model *m, const uint32_t *locations,
		  size_t nr_locations, const struct label *labels,
		  size_t nr_labels, uint64_t count, uint64_t ns);

/*
 * Adds what a thread used.  A thread is known by pid, tid and program; the name
 * is the last that it was told with.
 */
void model_thread(struct model *m, const struct thread_time *thread);
/* NULL: nothing is known of it.  The program is interned. */
const struct thread_time *model_find_thread(const struct model *m, int64_t pid,
					    int64_t tid, const char *program);

/*
 * A remark in the file.  report prints what begins with "note: " in its head,
 * for what the reader should know ("note: 3 % in programs that ended ...").
 */
void model_comment(struct model *m, const char *text);

/*
 * The books are not known: the file is another tool's, or the model has a part of a
 * profile's samples.
 */
bool model_lacks_books(const struct model *m);

/* The samples of all that were added. */
uint64_t model_samples(const struct model *m);

/* The label of a key, or NULL. */
const struct label *sample_label(const struct sample *sample, const char *key);

#endif /* PROFIL_MODEL_H */
