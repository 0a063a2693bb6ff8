// SPDX-License-Identifier: GPL-2.0-only
/* Signals that wait for a mask, and those of threads and of children. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions.h"

/* The first to come ends it, before the other's handler runs. */
static void both_pending(void)
{
	sigset_t both, old;

	signal(SIGTERM, mine);
	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, &old);
	raise(SIGTERM);
	raise(SIGINT);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void waits(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	sigwait(&set, &signo);
	printf("got %d\n", signo);
	fflush(stdout);
	raise(SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The mask of the wait lets it through, and that of before does not. */
static void suspended(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	sigemptyset(&set);
	sigsuspend(&set);
	printf("it goes on\n");
	fflush(stdout);
}

static pthread_barrier_t start;

static void *thread_raises(void *arg)
{
	pthread_barrier_wait(&start);
	raise(*(int *)arg);
	for (;;)
		pause();
	return NULL;
}

/* All at once: one ends the process, the others do not end that half-way. */
static void threads(void)
{
	static int signo = SIGTERM;
	pthread_t thread;
	int i;

	pthread_barrier_init(&start, NULL, 4);
	for (i = 0; i < 4; i++)
		pthread_create(&thread, NULL, thread_raises, &signo);
	for (;;)
		pause();
}

/* A child in the parent's memory: what it does is not the parent's. */
static void vforked(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL,
				    .sa_flags = SA_NOCLDSTOP };
	int status;
	pid_t pid;

	told("before");
	pid = vfork();
	if (!pid) {
		sigaction(SIGTERM, &action, NULL);
		kill(getpid(), SIGTERM);
		_exit(5);
	}
	waitpid(pid, &status, 0);
	printf("child %x\n", status);
	told("after");
	fflush(stdout);
	counted();
	kill(getpid(), SIGTERM);
}

static void forked(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		counted();
		told("in the child");
		fflush(stdout);
		raise(SIGTERM);
	}
	waitpid(pid, &status, 0);
	printf("child %x\n", status);
	fflush(stdout);
	raise(SIGTERM);
}

const struct way ways_to_wait[] = {
	{ "both_pending", both_pending }, { "waits", waits },
	{ "suspended", suspended },
	{ "threads", threads }, { "vforked", vforked }, { "forked", forked },
	{ NULL, NULL },
};
