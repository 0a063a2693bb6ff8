// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pcs that wait for a buffer to be looked at.
 *
 * All of it happens under the profile's lock, which the functions can't name;
 * only profil_ring_grow() takes it by itself.
 *
 * A profile has some places.  When half of them are taken, a larger array is
 * allocated: by an irq_work that the tick raises, since a tick can't allocate
 * and workers may be starved; and by the worker, which can allocate more.
 */
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "delay.h"
#include "profile/pending.h"

void profil_ring_init(struct profil_ring *ring)
{
	ring->pcs = ring->small;
	ring->size = ARRAY_SIZE(ring->small);
	ring->used = 0;
}

/* Context: process. */
void profil_ring_release(struct profil_ring *ring)
{
	if (ring->pcs != ring->small)
		kvfree(ring->pcs);
}

/* Context: hard interrupt.  Returns false if there is no room. */
bool profil_ring_push(struct profil_ring *ring, u64 pc)
{
	if (ring->used == ring->size)
		return false;
	ring->pcs[ring->used++] = pc;
	return true;
}

static u64 *ring_alloc(u32 size, gfp_t gfp)
{
	gfp |= __GFP_ACCOUNT | __GFP_NOWARN;
	if (gfpflags_allow_blocking(gfp))
		return kvmalloc_array(size, sizeof(u64), gfp);
	return kmalloc_array(size, sizeof(u64), gfp);
}

/**
 * profil_ring_grow() - make room, if more than half of the places are taken
 * @ring: the profile's
 * @lock: the profile's
 * @gfp: GFP_KERNEL, or GFP_ATOMIC
 *
 * If there is no memory, the next tick asks again.  What finds no place by then
 * is in the books as lost.
 *
 * Context: any in which @gfp may be used.
 */
void profil_ring_grow(struct profil_ring *ring, raw_spinlock_t *lock, gfp_t gfp)
{
	u32 had = READ_ONCE(ring->size);
	u32 size = max_t(u32, PROFIL_RING_STEP * had, PROFIL_RING_FIRST);
	u64 *pcs, *unused;
	unsigned long flags;

	if (!profil_ring_is_short(ring) || had >= PROFIL_RING_LARGE)
		return;
	pcs = ring_alloc(size, gfp);
	if (!pcs)
		return;
	unused = pcs;

	profil_delay();
	raw_spin_lock_irqsave(lock, flags);
	if (ring->size == had) {
		unused = ring->pcs;
		memcpy(pcs, unused, ring->used * sizeof(*pcs));
		ring->pcs = pcs;
		WRITE_ONCE(ring->size, size);
	}
	raw_spin_unlock_irqrestore(lock, flags);

	if (unused != ring->small)
		kvfree(unused);
}
