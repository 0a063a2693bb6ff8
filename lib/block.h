/* SPDX-License-Identifier: MIT */
/*
 * Around what is done under a lock: no handler, and no end of the thread.
 *
 * Around open(), write() and other calls that may wait: no end of the thread,
 * because profil() and exit() are no cancellation points in the C library.
 */
#ifndef LIBPROFIL_BLOCK_H
#define LIBPROFIL_BLOCK_H

#include <pthread.h>
#include <signal.h>

/* What the thread had before. */
struct profil_blocked {
	sigset_t signals;
	int cancel;
};

static inline int profil_cancel_disable(void)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	return old;
}

static inline void profil_cancel_restore(int old)
{
	pthread_setcancelstate(old, &old);
}

static inline void profil_block(struct profil_blocked *old)
{
	sigset_t all;

	sigfillset(&all);
	/* A blocked SIGSYS ends a program that has a handler for its sandbox. */
	sigdelset(&all, SIGSYS);
	pthread_sigmask(SIG_BLOCK, &all, &old->signals);
	old->cancel = profil_cancel_disable();
}

static inline void profil_unblock(const struct profil_blocked *old)
{
	profil_cancel_restore(old->cancel);
	pthread_sigmask(SIG_SETMASK, &old->signals, NULL);
}

#endif /* LIBPROFIL_BLOCK_H */
