// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded: a program samples itself by signals, as profilers without help from
 * the kernel do.
 *
 * BACKTRACE_DEPTH is how many addresses a handler asks backtrace() for, which it
 * does not call for 0.  The number of samples, and that of the addresses, goes to
 * the file BACKTRACE_OUT when the program ends.
 */
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define DEPTH_MAX	256

static unsigned long samples, addresses;
static int depth;

static void handler(int signal)
{
	void *path[DEPTH_MAX];

	(void)signal;
	samples++;
	if (depth)
		addresses += backtrace(path, depth);
}

static void start(void) __attribute__((constructor));
static void start(void)
{
	/* Of the tick's length, which is the least that it can be. */
	static const struct itimerval tick = { { 0, 4000 }, { 0, 4000 } };
	struct sigaction action = {
		.sa_handler = handler,
		.sa_flags = SA_RESTART,
	};
	const char *text = getenv("BACKTRACE_DEPTH");
	void *path[1];

	depth = text ? atoi(text) : 0;
	if (depth > DEPTH_MAX)
		depth = DEPTH_MAX;
	/* The first call loads a library. */
	backtrace(path, 1);
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &tick, NULL);
}

static void end(void) __attribute__((destructor));
static void end(void)
{
	const char *name = getenv("BACKTRACE_OUT");
	FILE *file;

	signal(SIGPROF, SIG_IGN);
	file = name ? fopen(name, "w") : NULL;
	if (!file)
		return;
	fprintf(file, "%lu %lu\n", samples, addresses);
	fclose(file);
}
