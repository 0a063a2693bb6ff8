/* SPDX-License-Identifier: MIT */
/* What differs between two sides of profiles, and what is noise. */
#ifndef PROFIL_CHANGES_H
#define PROFIL_CHANGES_H

#include "rows.h"

/* Changes are tested to this, over all that is compared. */
#define SIGNIFICANCE	0.01

enum version { BASE, NEW, NR_SIDES };

/* One file of a side. */
struct one_run {
	uint64_t samples;
	uint64_t not_seen;
	uint64_t cpu_ns;
};

struct side {
	struct one_run *runs;
	size_t nr_runs;		/* that were added, at most nr_files */
	size_t nr_files;
	uint64_t samples;
	uint64_t rate;		/* of the first; 0: not in the file */
	bool rates_differ;
	const char *command;	/* of the first */
	size_t nr_commands;	/* others than that */
	const char *only;	/* the part that is compared, or "" */
};

/* A function of one object, or an object; shares are 0 to 1. */
struct change {
	const char *name;
	const char *object;	/* the last part of its path */
	uint64_t *counts[NR_SIDES];	/* of each run */
	double share[NR_SIDES];
	double error[NR_SIDES];	/* of the share: one sigma */
	double p;		/* by Holm; 1 if it is not compared */
	bool compared, changed;
};

struct changes {
	struct model *names;	/* that has the strings */
	struct side sides[NR_SIDES];
	struct change *list;	/* changed first, then by the difference */
	size_t nr, nr_compared, nr_changed;
	size_t nr_unsure;	/* differ by as much, but it may be chance */
	double threshold;	/* a share */
	bool between_runs;	/* errors are between runs, not of samples */
	struct table *by_name;
};

/* For so many profiles of each side. */
void changes_begin(struct changes *c, size_t nr_base, size_t nr_new);
/* Adds a profile: by is BY_FUNCTION or BY_OBJECT; total: not self. */
void changes_add(struct changes *c, enum version side, struct model *m,
		 enum by by, bool total);
/* When all are added. */
void changes_find(struct changes *c);
void changes_free(struct changes *c);

#endif /* PROFIL_CHANGES_H */
