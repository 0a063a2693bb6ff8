/* SPDX-License-Identifier: MIT */
/* A recording: from an observer to a file, for run and attach. */
#ifndef PROFIL_RECORD_H
#define PROFIL_RECORD_H

#include <stdbool.h>

#include "model.h"
#include "observe.h"

#define RATE_DEFAULT	1000
#define RATE_MAX	100000

struct recording {
	struct observer observer;
	struct model *model;
	bool quiet;		/* no summary */
	const char *output;	/* or NULL */
	int64_t begin_ns, swapped_ns;
	bool swapped, failed;
	uint32_t nr_processes;	/* that were sampled */
};

/* False after a message. */
bool record_open(struct recording *r, uint32_t rate, char **command);
/*
 * Waits until fd can be read or the time has come (0: without an end), and
 * records meanwhile.  Returns true if fd can be read.
 */
bool record_wait(struct recording *r, int fd, int64_t until_ns);
/* All that was followed has ended; what is followed had joined before. */
bool record_is_alone(const struct recording *r);
/* The last samples, the names, the file and the summary; false: no file. */
bool record_finish(struct recording *r);

/* A number of 1 to max, or a message and false. */
bool record_number(const char *option, const char *text, double max,
		   double *number);

/* summary.c: at most 15 lines on standard error, path the last. */
void summary_print(const struct recording *r, const char *path);

#endif /* PROFIL_RECORD_H */
