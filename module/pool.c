// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings to lend to ticks that find their profile's full, since a tick can't
 * allocate: a few for the whole module, given back when a work has come.
 *
 * What is to fill them are ticks, so their number goes with that of the CPUs.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "ring.h"

/* A ring while it is in the pool. */
union pool_ring {
	struct hlist_node node;
	u64 pcs[PROFIL_RING_LENT];
};

/* Raw, and taken under a profile's lock; protects the list. */
static DEFINE_RAW_SPINLOCK(pool_lock);
static HLIST_HEAD(pool);

/**
 * profil_pool_take() - a ring of PROFIL_RING_LENT places
 *
 * Context: any; interrupts are off.
 * Return: NULL if all are lent.
 */
u64 *profil_pool_take(void)
{
	union pool_ring *ring;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&pool_lock);
	ring = hlist_entry_safe(pool.first, union pool_ring, node);
	if (ring)
		hlist_del(&ring->node);
	raw_spin_unlock(&pool_lock);
	return ring ? ring->pcs : NULL;
}

/* The reverse.  Context: any. */
void profil_pool_give(u64 *pcs)
{
	union pool_ring *ring = container_of(pcs, union pool_ring, pcs[0]);
	unsigned long flags;

	raw_spin_lock_irqsave(&pool_lock, flags);
	hlist_add_head(&ring->node, &pool);
	raw_spin_unlock_irqrestore(&pool_lock, flags);
}

int profil_pool_init(void)
{
	unsigned int i, nr = 8 + 2 * num_possible_cpus();
	union pool_ring *ring;

	for (i = 0; i < nr; i++) {
		ring = kmalloc(sizeof(*ring), GFP_KERNEL);
		if (!ring) {
			profil_pool_exit();
			return -ENOMEM;
		}
		hlist_add_head(&ring->node, &pool);
	}
	return 0;
}

/* There is no profile any more: all have been given back. */
void profil_pool_exit(void)
{
	struct hlist_node *next;
	union pool_ring *ring;

	hlist_for_each_entry_safe(ring, next, &pool, node)
		kfree(ring);
	INIT_HLIST_HEAD(&pool);
}
