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

/* For getopt_long(), of each command that takes them. */
#define ONLY_OPTION	1024
#define ONLY_OPTION_OF(name, kind) \
	{ name, required_argument, NULL, ONLY_OPTION + (kind) }
#define ONLY_USAGE \
	"  --process PROCESS  samples of this program or pid alone\n" \
	"  --thread THREAD    of the threads of this name, or the one of this number\n" \
	"  --cgroup PATH      of this cgroup alone\n"

/* False if the option is another one.  One that was given before is an error. */
bool only_option(struct only *only, int option, const char *value);

/* "process prog, thread 12", to be freed; "" without a value. */
char *only_text(const struct only *only);

/*
 * The samples and threads that fit, as a model in place of m; or m itself without
 * a value.  The books are of the whole, so it has none, and a note says so.  If
 * nothing fits it ends the program with that status, and names the file.
 */
struct model *only_kept(struct model *m, const struct only *only,
			const char *file, int status);

#endif /* PROFIL_ONLY_H */
