/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pcs that wait for a buffer.
 */
#ifndef _PROFIL_RING_H
#define _PROFIL_RING_H

#include <linux/gfp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define PROFIL_RING_SMALL	92	/* in the profile itself */
#define PROFIL_RING_FIRST	512	/* the smallest that is allocated */
#define PROFIL_RING_LARGE	65536
#define PROFIL_RING_STEP	8	/* from one size to the next */

struct profil_ring {
	u64 *pcs;		/* small, or allocated */
	u32 size;
	u32 used;
	u64 small[PROFIL_RING_SMALL];
};

static inline bool profil_ring_is_short(const struct profil_ring *ring)
{
	return READ_ONCE(ring->used) > READ_ONCE(ring->size) / 2;
}

void profil_ring_init(struct profil_ring *ring);
void profil_ring_release(struct profil_ring *ring);
bool profil_ring_push(struct profil_ring *ring, u64 pc);
void profil_ring_grow(struct profil_ring *ring, raw_spinlock_t *lock,
		      gfp_t gfp);

#endif /* _PROFIL_RING_H */
