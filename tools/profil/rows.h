/* SPDX-License-Identifier: MIT */
/* The table of a report: one row for each function, line, object, ... */
#ifndef PROFIL_ROWS_H
#define PROFIL_ROWS_H

#include "model.h"

enum by {
	BY_FUNCTION, BY_LINE, BY_INSTRUCTION, BY_OBJECT, BY_PROCESS, BY_CGROUP,
	BY_THREAD, BY_THREAD_NAME,
	NR_BY
};

extern const char *const by_names[NR_BY];

/* What stands where the kernel worked for the program. */
#define KERNEL_OBJECT	"[kernel]"

struct row {
	const char *name;
	const char *object;	/* path, or "" */
	const char *file;	/* source, or "" */
	int64_t line;
	uint64_t address;	/* by instruction: in the file of the object */
	int64_t id;		/* pid or tid; 0 */
	uint64_t self, total;	/* samples */
	uint64_t cpu_ns, wait_ns, read_ns; /* see struct thread_time */
	size_t seen_by;		/* the last sample that moved total */
};

struct rows {
	struct row *list;	/* sorted: most self, then most total first */
	size_t nr;
	uint64_t samples;	/* of the whole profile */
	uint64_t kernel[2];	/* in system calls; in page faults */
};

/* Strings go to the model. */
struct rows rows_make(struct model *m, enum by by);
void rows_free(struct rows *rows);
/* Allocated: what the row is of. */
char *row_text(const struct row *row, enum by by);
/* As rows_make() has them, or by total before self. */
void rows_sort(struct rows *rows, bool total_first);

/* The file's place of a location, which objdump and addr2line translate. */
uint64_t location_offset(const struct model *m, const struct location *loc);
/* The part behind the last slash. */
const char *base_name(const char *path);
/* The kind of kernel work of a sample: 0 system call, 1 fault; -1 user code. */
int sample_kernel(const struct sample *sample);
/* The name of that work: "[system call] read". */
const char *sample_kernel_name(struct model *m, const struct sample *sample);
/* The name of a place that has no function: "[libfoo.so: no symbol]". */
const char *unnamed(struct model *m, const struct location *loc);

#endif /* PROFIL_ROWS_H */
