/* SPDX-License-Identifier: MIT */
/*
 * A lock that is held with signals blocked, because a handler may want it too,
 * and with cancellation disabled, because it would be held for ever.
 */
#ifndef LIBPROFIL_LOCK_H
#define LIBPROFIL_LOCK_H

#include <sched.h>

#include "block.h"
#include "internal.h"

static inline void lock_wiped(struct profil_wiped *wiped,
			      struct profil_blocked *old)
{
	profil_block(old);
	while (__atomic_exchange_n(&wiped->locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void unlock_wiped(struct profil_wiped *wiped,
				const struct profil_blocked *old)
{
	__atomic_store_n(&wiped->locked, 0, __ATOMIC_RELEASE);
	profil_unblock(old);
}

#endif /* LIBPROFIL_LOCK_H */
