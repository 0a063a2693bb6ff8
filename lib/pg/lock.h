/* SPDX-License-Identifier: MIT */
/* A lock that is held with signals blocked: a handler may want it too. */
#ifndef LIBPROFIL_LOCK_H
#define LIBPROFIL_LOCK_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "internal.h"

static inline void lock_wiped(struct profil_wiped *wiped, sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, old);
	while (__atomic_exchange_n(&wiped->locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void unlock_wiped(struct profil_wiped *wiped, const sigset_t *old)
{
	__atomic_store_n(&wiped->locked, 0, __ATOMIC_RELEASE);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

#endif /* LIBPROFIL_LOCK_H */
