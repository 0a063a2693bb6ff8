// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows a perf-PID.map as profil does: each argument is text that is appended
 * to it, or an address of which the name is printed.  The first is the pid.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit.h"

static int append(const char *path, const char *line)
{
	FILE *file = fopen(path, "a");

	if (!file)
		return 1;
	fprintf(file, "%s\n", line);
	return fclose(file);
}

int main(int argc, char **argv)
{
	struct jit jit = { 0 };
	const char *name;
	char path[64];
	int i;

	if (argc < 2)
		return 2;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", atoi(argv[1]));
	for (i = 2; i < argc; i++) {
		if (strchr(argv[i], ' ')) {
			if (append(path, argv[i]))
				return 2;
			continue;
		}
		jit_read(&jit, -1, atoi(argv[1]), geteuid());
		name = jit_find(&jit, strtoull(argv[i], NULL, 16));
		puts(name ? name : "nothing");
	}
	jit_free(&jit);
	unlink(path);
	return 0;
}
