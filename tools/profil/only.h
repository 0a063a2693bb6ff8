/* SPDX-License-Identifier: MIT */
/* One process, thread or cgroup alone: --process, --thread and --cgroup. */
#ifndef PROFIL_ONLY_H
#define PROFIL_ONLY_H

#include "model.h"

enum only_kind { ONLY_PROCESS, ONLY_THREAD, ONLY_CGROUP, NR_ONLY };

/* A sample is kept if it fits each value that is given. */
struct only {
	const char *values[NR_ONLY];	/* a name or a number, or NULL */
};

/* Each command that takes the options puts these into its table and its usage. */
#define ONLY_OPTION	1024
#define ONLY_OPTION_OF(name, kind) \
	{ name, required_argument, NULL, ONLY_OPTION + (kind) }
#define ONLY_USAGE \
	"  --process PROCESS  only samples of this program, or of this pid\n" \
	"  --thread THREAD    only samples of threads of this name, or of this tid\n" \
	"  --cgroup PATH      only samples of this cgroup\n"

/*
 * Takes the value if the option is one of these, and returns false if not.  Giving
 * an option twice ends the program.
 */
bool only_option(struct only *only, int option, const char *value);

/* "process prog, thread 12", to be freed; "" without a value. */
char *only_text(const struct only *only);

/*
 * Frees m, and returns a model of the samples and threads that fit.  The model has
 * no books, because those of m are about all samples; a note says so.  Without a
 * value, m is returned.  If nothing fits, a message names the file, and the program
 * ends with the status.
 */
struct model *only_kept(struct model *m, const struct only *only,
			const char *file, int status);

#endif /* PROFIL_ONLY_H */
