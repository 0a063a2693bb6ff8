// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples that are pending until a buffer is refreshed.
 *
 * The caller holds the profile's lock, but for profil_pending_grow(), which
 * takes it, and before the profile is published.
 *
 * A profile has a small array.  When half of it is used, a larger one is
 * allocated by an irq_work that the tick raises, because a tick can't allocate
 * and workers may be starved.  The worker can allocate a larger array than
 * that.
 */
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "delay.h"
#include "profile/pending.h"

void profil_pending_init(struct profil_pending *pending)
{
	pending->pcs = pending->small;
	pending->size = ARRAY_SIZE(pending->small);
	pending->used = 0;
}

/* Context: process. */
void profil_pending_release(struct profil_pending *pending)
{
	if (pending->pcs != pending->small)
		kvfree(pending->pcs);
}

/* Context: hard interrupt.  Returns false if the array is full. */
bool profil_pending_push(struct profil_pending *pending, u64 pc)
{
	if (pending->used == pending->size)
		return false;
	pending->pcs[pending->used++] = pc;
	return true;
}

static u64 *pending_alloc(u32 size, gfp_t gfp)
{
	gfp |= __GFP_ACCOUNT | __GFP_NOWARN;
	if (gfpflags_allow_blocking(gfp))
		return kvmalloc_array(size, sizeof(u64), gfp);
	return kmalloc_array(size, sizeof(u64), gfp);
}

/**
 * profil_pending_reserve() - have an array of at least this size
 * @pending: of a profile that is not published
 * @size: in samples
 * @gfp: GFP_KERNEL, or GFP_ATOMIC
 *
 * Without memory it stays as it is, and grows when samples come.
 *
 * Context: any in which @gfp may be used.
 */
void profil_pending_reserve(struct profil_pending *pending, u32 size, gfp_t gfp)
{
	u64 *pcs = size > pending->size ? pending_alloc(size, gfp) : NULL;

	if (!pcs)
		return;
	pending->pcs = pcs;
	pending->size = size;
}

/**
 * profil_pending_grow() - allocate a larger array, if this one is half full
 * @pending: the profile's
 * @lock: the profile's
 * @gfp: GFP_KERNEL, or GFP_ATOMIC
 *
 * Without memory the next tick asks again, and samples that find the array full
 * are lost.
 *
 * Context: any in which @gfp may be used.
 */
void profil_pending_grow(struct profil_pending *pending, raw_spinlock_t *lock,
			 gfp_t gfp)
{
	u32 had = READ_ONCE(pending->size);
	u32 size = max_t(u32, PROFIL_PENDING_STEP * had, PROFIL_PENDING_FIRST);
	u64 *pcs, *unused;
	unsigned long flags;

	if (!profil_pending_is_short(pending) || had >= PROFIL_PENDING_LARGE)
		return;
	pcs = pending_alloc(size, gfp);
	if (!pcs)
		return;
	unused = pcs;

	profil_delay();
	raw_spin_lock_irqsave(lock, flags);
	if (pending->size == had) {
		unused = pending->pcs;
		memcpy(pcs, unused, pending->used * sizeof(*pcs));
		pending->pcs = pcs;
		WRITE_ONCE(pending->size, size);
	}
	raw_spin_unlock_irqrestore(lock, flags);

	if (unused != pending->small)
		kvfree(unused);
}
