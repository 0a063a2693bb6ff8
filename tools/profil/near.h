/* SPDX-License-Identifier: MIT */
/* The symbols that decide what a few addresses are called. */
#ifndef PROFIL_NEAR_H
#define PROFIL_NEAR_H

#include <stddef.h>
#include <stdint.h>

#include "prof.h"

/*
 * Drops the symbols that change nothing for the addresses, which ascend.  The
 * symbols need no order yet, and stay in the order that they have.
 */
void symbols_keep_near(struct symbols *symbols, const uint64_t *asked,
		       size_t nr);

#endif /* PROFIL_NEAR_H */
