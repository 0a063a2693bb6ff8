// SPDX-License-Identifier: MIT
/*
 * What gcrt1.o does at the start of a -pg program, where the C library has no
 * such file (musl).  In libprofil.a this comes along with mcount; in the
 * shared library it looks whether the program has a use for that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <profil.h>
#include <stdlib.h>

#include "dso/dso.h"
#include "dynamic.h"

/* For mcount.S to refer to. */
HIDDEN const char profil_startup;
const char profil_startup = 1;

#if !defined(__GLIBC__)

#if defined(__PIE__)
static bool has_pg(void)
{
	return true;
}
#else
/* The first is the program. */
static int program_refers(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct profil_dynamic dynamic;

	(void)size;
	*(bool *)arg = profil_dynamic_read(info, &dynamic) &&
		       profil_dynamic_counts(&dynamic, NULL, NULL);
	return 1;
}

static bool has_pg(void)
{
	bool found = false;

	dl_iterate_phdr(program_refers, &found);
	return found;
}
#endif

/* Before the program's own constructors. */
static __attribute__((constructor(101))) void start_pg_program(void)
{
	struct profil_seen program;
	int saved = errno;

	if (!has_pg() || !profil_linkmap_program(&program))
		return;
	monstartup(program.bias + program.low, program.bias + program.high);
	atexit(_mcleanup);
	errno = saved;
}

#endif
