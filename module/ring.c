// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pcs that wait for a buffer to be looked at.
 *
 * All of it happens under the profile's lock, which the functions can't name;
 * only profil_ring_grow() takes it by itself.
 */
#include <linux/slab.h>

#include "profil.h"

void profil_ring_init(struct profil_ring *ring)
{
	ring->pcs = ring->small;
	ring->size = ARRAY_SIZE(ring->small);
	ring->used = 0;
}

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

/*
 * Makes room for eight times as many if profil_ring_is_short(): the work that
 * calls this may come late, and ticks go on.
 *
 * Context: process; may sleep.  Callers exclude each other.
 */
int profil_ring_grow(struct profil_ring *ring, raw_spinlock_t *lock)
{
	u32 size = READ_ONCE(ring->size);
	u64 *pcs, *old;

	if (!profil_ring_is_short(ring) || size >= PROFIL_RING_LARGE)
		return 0;
	pcs = kvmalloc_array(size, PROFIL_RING_STEP * sizeof(*pcs),
			     GFP_KERNEL_ACCOUNT);
	if (!pcs)
		return -ENOMEM;

	raw_spin_lock_irq(lock);
	old = ring->pcs;
	memcpy(pcs, old, ring->used * sizeof(*pcs));
	ring->pcs = pcs;
	ring->size = PROFIL_RING_STEP * size;
	raw_spin_unlock_irq(lock);

	if (old != ring->small)
		kvfree(old);
	return 0;
}
