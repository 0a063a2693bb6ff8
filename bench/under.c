// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command beside an observer, or under it.
 *
 *	under HOW RATE OTHERS COMMAND...
 *
 *	HOW	none	without an observer
 *		self	the observer follows the command
 *		others	the observer follows other processes alone
 *		ended	the observer has ended a second ago
 *
 * OTHERS processes sleep, and the observer follows them.  In each case the
 * command gets no descriptor, and has as many children.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "observer.h"

static struct observer observer;
static int ready[2];

/* A child that lives as long as its parent: it keeps the observer, or joins. */
static pid_t start_sleeper(int keeps)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (observer.map && !keeps) {
		observer_join(&observer);
		close(observer.fd);
	}
	if (write(ready[1], "", 1) != 1)
		die("pipe");
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int others, i;
	pid_t keeper;
	char byte;

	if (argc < 5) {
		fputs("usage: under HOW RATE OTHERS COMMAND...\n", stderr);
		return 2;
	}
	others = atoi(argv[3]);
	if (pipe2(ready, O_CLOEXEC))
		die("pipe");
	if (strcmp(argv[1], "none"))
		observer_open(&observer, atoi(argv[2]), 1);
	keeper = start_sleeper(1);
	for (i = 0; i < others; i++)
		start_sleeper(0);
	for (i = 0; i <= others; i++)
		if (read(ready[0], &byte, 1) != 1)
			die("pipe");
	if (!strcmp(argv[1], "self"))
		observer_join(&observer);
	if (!strcmp(argv[1], "ended")) {
		kill(keeper, SIGKILL);
		waitpid(keeper, NULL, 0);
	}
	if (observer.map)
		close(observer.fd);
	sleep(2);
	execv(argv[4], argv + 4);
	die(argv[4]);
}
