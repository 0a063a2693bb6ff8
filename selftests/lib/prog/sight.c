// SPDX-License-Identifier: GPL-2.0-only
/* What a program finds at its start: ITIMER_PROF, SIGPROF, its arguments. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int main(int argc, char **argv)
{
	const char *there = getenv("LOOK");
	struct itimerval timer;
	sigset_t pending;
	int i;

	getitimer(ITIMER_PROF, &timer);
	sigpending(&pending);
	printf("%s timer, %s pending, LOOK is %s:",
	       timer.it_value.tv_sec || timer.it_value.tv_usec ? "a" : "no",
	       sigismember(&pending, SIGPROF) ? "SIGPROF" : "nothing",
	       there ? there : "not set");
	for (i = 1; i < argc; i++)
		printf(" %s", argv[i]);
	puts(strchr(argv[0], '/') ? "" : " (found)");
	return 0;
}
