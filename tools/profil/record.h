/* SPDX-License-Identifier: MIT */
/* A recording: from an observer to a file, for run and attach. */
#ifndef PROFIL_RECORD_H
#define PROFIL_RECORD_H

#include <signal.h>
#include <stdbool.h>

#include "model.h"
#include "observe.h"
#include "window.h"

#define RATE_DEFAULT	1000
#define RATE_MAX	100000

struct recording {
	struct observer observer;
	struct model *model;
	bool quiet;		/* no summary */
	bool is_live;		/* it is shown and not written */
	const char *output;	/* or NULL */
	int64_t begin_ns, swapped_ns;
	bool swapped, failed;
	struct window window;
	uint32_t nr_processes;	/* that were sampled */
};

/* False after a message. */
bool record_open(struct recording *r, uint32_t rate, bool paths, char **command);
/* Counts after a delay in seconds; below 0: when it is told to. */
void record_begin(struct recording *r, double delay);
/*
 * As many open files as this program may have, because each process takes two.
 * What it starts has its limits by then.
 */
void record_raise_files(void);
/* Adds SIGHUP to a set, unless it is ignored, as nohup has it. */
void record_catch_hangup(sigset_t *caught);
/*
 * Records until fd can be read, which returns true, or it is over, or all has
 * ended.  Where all had ended before, it only waits.
 */
bool record_wait(struct recording *r, int fd);
/* Its duration is over, or it was told to stop. */
bool record_is_over(const struct recording *r);
/* All that was followed has ended; what is followed had joined before. */
bool record_is_alone(const struct recording *r);
/* Gives each sample of now its place in the model, known or not. */
void record_take(struct recording *r);
/*
 * Begins a new model; the caller has the one before.  What has ended is
 * forgotten, so that memory and descriptors stay bounded.
 */
void record_renew(struct recording *r);
/* The last samples, the names, the file and the summary; false: no file. */
bool record_finish(struct recording *r);

/* The value of -r, a whole number; false after a message. */
bool record_rate(const char *text, double *rate);
/* A number above 0, at most max; false after a message. */
bool record_number(const char *option, const char *text, double max,
		   double *number);

/* summary.c: at most 15 lines on standard error, path the last. */
void summary_print(const struct recording *r, const char *path);

#endif /* PROFIL_RECORD_H */
