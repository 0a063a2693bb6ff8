// SPDX-License-Identifier: MIT
/*
 * profil_dso_start() and PROFIL_DSO: the profile of shared objects, in a
 * program that need not be built with -pg.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <sys/auxv.h>

#include "dso/dso.h"
#include "monitor/monitor.h"

/* For one that is not built with -pg; one that is begins anew later. */
static void start_program(void)
{
	struct profil_seen program;

	if (!profil_linkmap_program(&program))
		return;
	profil_gmon_begin(program.bias + program.low,
			  program.bias + program.high, false);
}

EXPORT int profil_dso_start(void)
{
	int saved = errno;

	if (getauxval(AT_SECURE)) {
		errno = EPERM;
		return -1;
	}
	if (!profil_dso_alloc())
		return -1;
	if (!profil_gmon_now())
		start_program();
	if (!profil_gmon_now()) {
		errno = ENOMEM;
		return -1;
	}
	profil_dso_look(true);
	errno = saved;
	return 0;
}

/* Before main(), which finds errno 0. */
void profil_dso_start_wanted(void)
{
	int saved = errno;

	if (!profil_dso_on() && profil_dso_wanted() && profil_dso_start() != 0)
		profil_report("PROFIL_DSO: %s", profil_error(errno));
	errno = saved;
}
