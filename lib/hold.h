/* SPDX-License-Identifier: MIT */
/* Around a write: no signal that it raises reaches the program. */
#ifndef LIBPROFIL_HOLD_H
#define LIBPROFIL_HOLD_H

#include <signal.h>

#include "internal.h"

struct profil_held {
	sigset_t mask;		/* as it was before */
	sigset_t pending;	/* what waited before */
};

/* hold.c: both leave errno as it is. */
HIDDEN void profil_hold(struct profil_held *held);
HIDDEN void profil_release(const struct profil_held *held);

#endif /* LIBPROFIL_HOLD_H */
