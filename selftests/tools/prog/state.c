// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints all that a program inherits: descriptors, environment, signals, limits,
 * process group, terminal.  "state odd PROGRAM..." executes PROGRAM with signals
 * blocked and ignored that usually are not.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void print_descriptors(void)
{
	char path[64], target[4096];
	ssize_t size;
	int fd;

	for (fd = 0; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		size = readlink(path, target, sizeof(target) - 1);
		printf("fd %d %#x %.*s\n", fd, fcntl(fd, F_GETFL),
		       size > 0 ? (int)size : 0, target);
	}
}

static void print_signals(void)
{
	struct sigaction action;
	sigset_t mask;
	int nr;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (nr = 1; nr < NSIG; nr++) {
		if (sigaction(nr, NULL, &action))
			continue;
		printf("signal %d %s %s\n", nr,
		       action.sa_handler == SIG_IGN ? "ignored" : "default",
		       sigismember(&mask, nr) ? "blocked" : "open");
	}
}

static void print_limits(void)
{
	struct rlimit limit;
	int nr;

	for (nr = 0; nr < (int)RLIM_NLIMITS; nr++)
		if (!getrlimit(nr, &limit))
			printf("limit %d %lu %lu\n", nr,
			       (unsigned long)limit.rlim_cur,
			       (unsigned long)limit.rlim_max);
}

int main(int argc, char **argv)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t mask;
	mode_t mode;
	char **var;

	if (argc > 2 && !strcmp(argv[1], "odd")) {
		sigemptyset(&mask);
		sigaddset(&mask, SIGUSR2);
		sigaddset(&mask, SIGINT);
		sigprocmask(SIG_BLOCK, &mask, NULL);
		sigaction(SIGCHLD, &ignore, NULL);
		sigaction(SIGTERM, &ignore, NULL);
		sigaction(SIGPIPE, &ignore, NULL);
		execvp(argv[2], argv + 2);
		return 1;
	}
	print_descriptors();
	print_signals();
	print_limits();
	for (var = environ; *var; var++)
		printf("env %s\n", *var);
	mode = umask(0);
	printf("umask %o nice %d group %d session %d terminal %d cwd %s\n",
	       mode, getpriority(PRIO_PROCESS, 0), getpgrp(), getsid(0),
	       tcgetpgrp(0), getcwd(NULL, 0));
	printf("policy %d\n", sched_getscheduler(0));
	return 0;
}
