// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a context switch: two processes on one CPU give each other a byte.
 *
 *	switch ROUNDS
 *
 * Prints instructions a switch, with all that the processes do for it.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static int there[2], back[2];

static void give(int to)
{
	if (write(to, "", 1) != 1)
		die("pipe");
}

static int take(int from)
{
	char byte;

	return read(from, &byte, 1) == 1;
}

static void rounds_of(int nr)
{
	while (nr--) {
		give(there[1]);
		if (!take(back[0]))
			die("pipe");
	}
}

int main(int argc, char **argv)
{
	uint64_t then;
	int rounds;
	pid_t pid;

	if (argc != 2) {
		fputs("usage: switch ROUNDS\n", stderr);
		return 2;
	}
	rounds = atoi(argv[1]);
	if (pipe(there) || pipe(back))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		close(there[1]);
		while (take(there[0]))
			give(back[1]);
		_exit(0);
	}
	rounds_of(1000);
	then = now();
	rounds_of(rounds);
	printf("%.1f\n", (double)(now() - then) / (2 * rounds));
	close(there[1]);
	waitpid(pid, NULL, 0);
	return 0;
}
