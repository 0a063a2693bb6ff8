// SPDX-License-Identifier: MIT
/* Reading the cgroup of a process from /proc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "util.h"

/*
 * A line is "NUMBER:CONTROLLERS:PATH".  Of several hierarchies the one with the
 * longest path says most.
 */
static char *read_longest(const char *file)
{
	char text[4096], *line, *rest = text, *path;
	const char *longest = "";

	if (!read_start(file, text, sizeof(text)))
		return NULL;
	while ((line = strsep(&rest, "\n"))) {
		path = strchr(line, ':');
		path = path ? strchr(path + 1, ':') : NULL;
		if (path && strlen(path + 1) > strlen(longest))
			longest = path + 1;
	}
	return *longest ? xstrdup(longest) : NULL;
}

char *cgroup_of(pid_t pid)
{
	static char *own;
	char *file, *path;

	if (!own)
		own = read_longest("/proc/self/cgroup");
	file = xasprintf("/proc/%d/cgroup", pid);
	path = read_longest(file);
	free(file);
	if (!path || !own || strcmp(path, own) != 0)
		return path;
	free(path);
	return NULL;
}
