/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A control group, and the kernel memory that is charged to it.
 */
#ifndef GROUP_H
#define GROUP_H

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "work.h"

#define GROUPS	"/sys/fs/cgroup"
#define GROUP	GROUPS "/bench"

static inline void write_to(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		die(name);
}

/* Later processes are in it too. */
static inline void enter_group(void)
{
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		die(GROUP);
	write_to(GROUPS "/cgroup.subtree_control", "+memory");
	write_to(GROUP "/cgroup.procs", "0");
}

static inline long kernel_bytes(void)
{
	FILE *file = fopen(GROUP "/memory.stat", "r");
	char line[128];
	long bytes = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "kernel %ld", &bytes) == 1)
			break;
	if (bytes < 0)
		die(GROUP "/memory.stat");
	fclose(file);
	return bytes;
}

#endif /* GROUP_H */
