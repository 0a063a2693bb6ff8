// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows a perf-PID.map as profil does: each argument is text that is appended
 * to it, a line unless a plus ends it, or an address of which the name is
 * printed: what has no digit first is text.  The first is the pid.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit.h"

static int append(const char *path, const char *line)
{
	FILE *file = fopen(path, "a");
	int length;

	if (!file)
		return 1;
	length = strlen(line);
	if (line[length - 1] == '+')
		fprintf(file, "%.*s", length - 1, line);
	else
		fprintf(file, "%s\n", line);
	return fclose(file);
}

int main(int argc, char **argv)
{
	struct jit jit = JIT_NEW;
	const char *name;
	char path[64];
	int before = 0, i;

	if (argc < 2)
		return 2;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", atoi(argv[1]));
	for (i = 2; i < argc; i++) {
		if (strchr(argv[i], ' ') || !isxdigit(*argv[i])) {
			if (append(path, argv[i]))
				return 2;
			continue;
		}
		jit_read_map(&jit, -1, atoi(argv[1]), geteuid(), i);
		name = jit_find(&jit, strtoull(argv[i], NULL, 16), before, i);
		before = i;
		puts(name ? name : "nothing");
	}
	jit_free(&jit);
	unlink(path);
	return 0;
}
