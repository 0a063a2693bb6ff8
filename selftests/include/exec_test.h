/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of exec: this program under another name.
 */
#ifndef PROFIL_EXEC_TEST_H
#define PROFIL_EXEC_TEST_H

#include <stdio.h>

#include "profil_test.h"

/* A copy of this program, to get a set-uid bit or capabilities. */
static inline int copy_program(char *name)
{
	char command[200];
	int fd = mkstemp(name);

	if (fd < 0)
		return -1;
	close(fd);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(),
		 name);
	return system(command) || chmod(name, 0755);
}

#endif /* PROFIL_EXEC_TEST_H */
