// SPDX-License-Identifier: GPL-2.0-only
/* A program with a variable of its own that is named environ. */
#include <stddef.h>
#include <string.h>

int execl(const char *path, const char *arg, ...);
int execlp(const char *file, const char *arg, ...);

char **environ;

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "execl"))
		execl("/bin/sh", "sh", "-c", "echo $FOO", (char *)NULL);
	else
		execlp("sh", "sh", "-c", "echo $FOO", (char *)NULL);
	return 1;
}
