/* SPDX-License-Identifier: MIT */
/* Keeping only the symbols that name a few addresses. */
#ifndef PROFIL_NEAR_H
#define PROFIL_NEAR_H

#include <stddef.h>
#include <stdint.h>

#include "prof.h"

/*
 * Drops symbols that do not change the names of the addresses.  The addresses
 * ascend.  The symbols may be in any order, which they keep.
 */
void symbols_keep_near(struct symbols *symbols, const uint64_t *asked,
		       size_t nr);

#endif /* PROFIL_NEAR_H */
