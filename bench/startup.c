// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a program from its start to its end.
 *
 *	startup TIMES ROOT PROGRAM [LIBRARY]
 *
 * PROGRAM and its libraries are in ROOT, because the clock goes on while the
 * guest waits for a file server.  LIBRARY is preloaded.  Prints instructions and
 * context switches a start.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static char *environment[2];

static void run(char *program)
{
	char *argv[] = { program, NULL };
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv,
			environment))
		die(program);
	waitpid(pid, NULL, 0);
}

/* Context switches of the machine since it was booted. */
static uint64_t switches(int stat)
{
	static char text[65536];
	ssize_t size = pread(stat, text, sizeof(text) - 1, 0);
	const char *line = size > 0 ? strstr(text, "\nctxt ") : NULL;

	if (!line)
		die("/proc/stat");
	return strtoull(line + strlen("\nctxt "), NULL, 10);
}

int main(int argc, char **argv)
{
	uint64_t then, taken, switched;
	int times, stat, i;

	if (argc != 4 && argc != 5) {
		fputs("usage: startup TIMES ROOT PROGRAM [LIBRARY]\n", stderr);
		return 2;
	}
	times = atoi(argv[1]);
	if (argc == 5 && asprintf(&environment[0], "LD_PRELOAD=%s", argv[4]) < 0)
		die("asprintf");
	stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (chroot(argv[2]) || chdir("/"))
		die(argv[2]);
	for (i = 0; i < 10; i++)
		run(argv[3]);
	switched = switches(stat);
	then = now();
	for (i = 0; i < times; i++)
		run(argv[3]);
	taken = now() - then;
	switched = switches(stat) - switched;
	printf("%lu %.2f\n", taken / times, (double)switched / times);
	return 0;
}
