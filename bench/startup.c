// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a program from its start to its end.
 *
 *	startup TIMES ROOT PROGRAM [LIBRARY]
 *
 * PROGRAM and its libraries are in ROOT, because the clock goes on while the
 * guest waits for a file server.  LIBRARY is preloaded.  Prints instructions a
 * start.
 */
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

int main(int argc, char **argv)
{
	uint64_t then;
	int times, i;

	if (argc != 4 && argc != 5) {
		fputs("usage: startup TIMES ROOT PROGRAM [LIBRARY]\n", stderr);
		return 2;
	}
	times = atoi(argv[1]);
	if (argc == 5 && asprintf(&environment[0], "LD_PRELOAD=%s", argv[4]) < 0)
		die("asprintf");
	if (chroot(argv[2]) || chdir("/"))
		die(argv[2]);
	for (i = 0; i < 10; i++)
		run(argv[3]);
	then = now();
	for (i = 0; i < times; i++)
		run(argv[3]);
	printf("%lu\n", (now() - then) / times);
	return 0;
}
