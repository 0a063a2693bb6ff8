// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pcs that wait for a buffer to be looked at.
 *
 * All of it happens under the profile's lock, which the functions can't name;
 * only profil_ring_grow() takes it by itself.
 *
 * A profile has a few places.  Past half of them a work makes room; if that is
 * late, a larger ring is lent by the pool until the work has come, or until
 * nothing waits any more.
 */
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "delay.h"
#include "ring.h"

static bool is_small(const struct profil_ring *ring)
{
	return ring->pcs == ring->small;
}

void profil_ring_init(struct profil_ring *ring)
{
	ring->pcs = ring->small;
	ring->size = ARRAY_SIZE(ring->small);
	ring->used = 0;
}

/* Takes another's place, with what waits.  Returns what it was. */
static u64 *replace(struct profil_ring *ring, u64 *pcs, u32 size)
{
	u64 *old = ring->pcs;

	memcpy(pcs, old, ring->used * sizeof(*pcs));
	ring->pcs = pcs;
	WRITE_ONCE(ring->size, size);
	return old;
}

static void release(u64 *pcs, bool lent)
{
	if (lent)
		profil_pool_give(pcs);
	else
		kvfree(pcs);
}

/* Context: process. */
void profil_ring_release(struct profil_ring *ring)
{
	if (!is_small(ring))
		release(ring->pcs, profil_ring_is_lent(ring));
}

static bool borrow(struct profil_ring *ring)
{
	u64 *pcs;

	if (!is_small(ring))
		return false;
	pcs = profil_pool_take();
	if (pcs)
		replace(ring, pcs, PROFIL_RING_LENT);
	return pcs;
}

/* Gives back what was lent, if it is not needed any more. */
void profil_ring_give_back(struct profil_ring *ring)
{
	if (profil_ring_is_lent(ring) && ring->used <= ARRAY_SIZE(ring->small))
		profil_pool_give(replace(ring, ring->small,
					 ARRAY_SIZE(ring->small)));
}

/* Context: hard interrupt.  Returns false if there is no room. */
bool profil_ring_push(struct profil_ring *ring, u64 pc)
{
	if (ring->used == ring->size && !borrow(ring))
		return false;
	ring->pcs[ring->used++] = pc;
	return true;
}

/*
 * Makes room if profil_ring_is_short(): the work that calls this may come
 * late, and ticks go on.
 *
 * Context: process; may sleep.  Callers exclude each other.
 */
int profil_ring_grow(struct profil_ring *ring, raw_spinlock_t *lock)
{
	u32 size = READ_ONCE(ring->size);
	bool small, lent;
	u64 *pcs, *old;

	if (!profil_ring_is_short(ring) || size >= PROFIL_RING_LARGE)
		return 0;
	/* Larger than one that may be lent meanwhile. */
	size = max_t(u32, PROFIL_RING_STEP * size, PROFIL_RING_FIRST);
	pcs = kvmalloc_array(size, sizeof(*pcs),
			     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pcs)
		return -ENOMEM;

	profil_delay();
	raw_spin_lock_irq(lock);
	small = is_small(ring);
	lent = profil_ring_is_lent(ring);
	old = replace(ring, pcs, size);
	raw_spin_unlock_irq(lock);

	if (!small)
		release(old, lent);
	return 0;
}
