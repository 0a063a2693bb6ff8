/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples that are pending until a buffer is refreshed.
 */
#ifndef _PROFIL_PENDING_H
#define _PROFIL_PENDING_H

#include <linux/gfp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define PROFIL_PENDING_SMALL	84	/* in the profile itself */
#define PROFIL_PENDING_FIRST	512	/* the smallest that is allocated */
#define PROFIL_PENDING_LARGE	65536
#define PROFIL_PENDING_STEP	8	/* from one size to the next */

struct profil_pending {
	u64 *pcs;		/* small, or allocated */
	u32 size;
	u32 used;
	u64 small[PROFIL_PENDING_SMALL];
};

static inline bool profil_pending_is_short(const struct profil_pending *pending)
{
	return READ_ONCE(pending->used) > READ_ONCE(pending->size) / 2;
}

void profil_pending_init(struct profil_pending *pending);
void profil_pending_release(struct profil_pending *pending);
void profil_pending_reserve(struct profil_pending *pending, u32 size,
			    gfp_t gfp);
bool profil_pending_push(struct profil_pending *pending, u64 pc);
void profil_pending_grow(struct profil_pending *pending, raw_spinlock_t *lock,
			 gfp_t gfp);

#endif /* _PROFIL_PENDING_H */
