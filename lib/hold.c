// SPDX-License-Identifier: MIT
/*
 * A write of this library raises no signal in the program: not for a reader
 * that has gone, a file too large, or a terminal of another job.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "hold.h"

/* The signals that a write sends to the thread that makes it. */
static const int raised[] = { SIGPIPE, SIGXFSZ };

void profil_hold(struct profil_held *held)
{
	int saved = errno;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	/* A write with this one blocked goes through. */
	sigaddset(&set, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &set, &held->mask);
	sigpending(&held->pending);
	errno = saved;
}

void profil_release(const struct profil_held *held)
{
	static const struct timespec now;
	int saved = errno;
	sigset_t set;
	int i;

	for (i = 0; i < 2; i++) {
		/* One that waited before is the program's. */
		if (sigismember(&held->pending, raised[i]))
			continue;
		sigemptyset(&set);
		sigaddset(&set, raised[i]);
		while (sigtimedwait(&set, NULL, &now) > 0)
			;
	}
	pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
	errno = saved;
}
