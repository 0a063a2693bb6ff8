/* SPDX-License-Identifier: MIT */
/* Around what is done under a lock: no handler, and no end of the thread. */
#ifndef LIBPROFIL_BLOCK_H
#define LIBPROFIL_BLOCK_H

#include <pthread.h>
#include <signal.h>

/* What the thread had before. */
struct profil_blocked {
	sigset_t signals;
	int cancel;
};

static inline void profil_block(struct profil_blocked *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old->signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old->cancel);
}

static inline void profil_unblock(const struct profil_blocked *old)
{
	pthread_setcancelstate(old->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &old->signals, NULL);
}

#endif /* LIBPROFIL_BLOCK_H */
