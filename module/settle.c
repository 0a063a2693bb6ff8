// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settling: watch, account and pin a profile's buffers, pin again what was
 * remapped, and count the pcs that waited for it.
 *
 * A buffer is looked at when a pc waits for it, not when its mapping changes:
 * a program that unmaps and maps its buffer between two ticks loses nothing,
 * and a forked child that executes another program at once pins nothing.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "delay.h"
#include "profil.h"

#define DRAIN_BATCH	64	/* pcs counted with interrupts off */
#define ROUNDS		4
#define SOON		25	/* times that a work comes again a tick later */
#define LAST_TRIES	25	/* a tick apart */
#define RETRIES		50	/* of HZ / 10 while there is no memory or page */

static u8 reason_of(int err)
{
	switch (err) {
	case -ENXIO:
		return PROFIL_REASON_UNMAPPED;
	case -EACCES:
		return PROFIL_REASON_READONLY;
	case -EOPNOTSUPP:
		return PROFIL_REASON_UNSUPPORTED;
	case -ENOMEM:
		return PROFIL_REASON_NOMEM;
	default:
		return PROFIL_REASON_FAULT;
	}
}

/*
 * Switches a buffer off for good; the last one takes the hooks with it.  Its
 * account is given back by the process's next call, or by the end: that takes
 * mmap_lock, for which a work does not wait.
 */
static void switch_off(struct profil_profile *profile, u32 region, u8 reason)
{
	struct profil_buffer *buffer = &profile->buffers[region];
	bool last;

	lockdep_assert_held(&profile->settle_mutex);
	raw_spin_lock_irq(&profile->lock);
	profil_buffer_stale(buffer);
	buffer->wanted = false;
	buffer->reason = reason;
	profile->reason = reason;
	__set_bit(region, profile->off);
	last = !--profile->nr_on;
	raw_spin_unlock_irq(&profile->lock);

	profil_buffer_drop(buffer);
	/* A thread's exit is only heard of through the hooks. */
	if (last && !profile->task)
		profil_profile_unhook(profile);
}

static void release_buffers(struct profil_profile *profile,
			    struct profil_buffer *buffers)
{
	u32 i;

	for (i = 0; i < profile->layout->nr_regions; i++)
		profil_buffer_release(&buffers[i]);
}

/**
 * profil_settle_begin() - watch all buffers
 * @profile: whose mm has users
 *
 * Undone by profil_settle_end().
 *
 * Context: process; may sleep.  The caller holds settle_mutex.
 * Return: 0, -ENOMEM, or -EINTR.
 */
int profil_settle_begin(struct profil_profile *profile)
{
	const struct profil_layout *layout = profile->layout;
	struct profil_buffer *buffers;
	u32 i;
	int ret;

	lockdep_assert_held(&profile->settle_mutex);
	buffers = kvcalloc(layout->nr_regions, sizeof(*buffers),
			   GFP_KERNEL_ACCOUNT);
	if (!buffers)
		return -ENOMEM;
	for (i = 0; i < layout->nr_regions; i++) {
		buffers[i].profile = profile;
		buffers[i].len = profil_layout_len(layout, i);
		ret = profil_buffer_watch(&buffers[i], &layout->regions[i]);
		if (ret)
			goto err_release;
	}

	raw_spin_lock_irq(&profile->lock);
	profile->buffers = buffers;
	if (!profile->dead)
		profile->counting = buffers;
	raw_spin_unlock_irq(&profile->lock);
	return 0;

err_release:
	release_buffers(profile, buffers);
	kvfree(buffers);
	return ret;
}

/**
 * profil_settle_end() - the reverse
 * @profile: dead, or never published
 *
 * Never fails.  Context: process; sleeps.
 */
void profil_settle_end(struct profil_profile *profile)
{
	mutex_lock(&profile->settle_mutex);
	profile->ended = true;
	if (profile->buffers)
		release_buffers(profile, profile->buffers);
	profil_account_uncharge(profile, profile->accounted);
	mutex_unlock(&profile->settle_mutex);
}

/**
 * profil_settle_pin() - pin one buffer
 * @profile: begun
 * @region: which
 *
 * Context: process; may sleep and fault.  The caller holds settle_mutex.
 */
int profil_settle_pin(struct profil_profile *profile, u32 region)
{
	return profil_buffer_pin(&profile->buffers[region],
				 &profile->layout->regions[region]);
}

/* What is wanted becomes live or is switched off; or says to come again. */
static int pin_wanted(struct profil_profile *profile)
{
	u32 i;
	int ret;

	for (i = 0; i < profile->layout->nr_regions; i++) {
		if (!READ_ONCE(profile->buffers[i].wanted))
			continue;
		ret = profil_settle_pin(profile, i);
		if (ret == -EAGAIN || ret == -EINTR)
			return ret;
		if ((ret == -ENOMEM || ret == -EBUSY) &&
		    profile->retries++ < RETRIES)
			return ret;
		if (ret)
			switch_off(profile, i, reason_of(ret));
		else
			profile->retries = 0;
	}
	return 0;
}

/* What a forked child's profile needs before its first pc can be counted. */
static int begin_child(struct profil_profile *profile)
{
	u32 i;
	int ret;

	ret = profil_settle_begin(profile);
	if (ret)
		return ret;
	for (i = 0; i < profile->layout->nr_regions; i++)
		profile->buffers[i].reason = profile->reason;
	if (!profil_account_charge(profile))
		return 0;
	for (i = 0; i < profile->layout->nr_regions; i++)
		if (!test_bit(i, profile->off))
			switch_off(profile, i, PROFIL_REASON_MEMLOCK);
	return 0;
}

/* Counts what waited, and returns how much still does. */
static u32 drain(struct profil_profile *profile)
{
	struct profil_ring *ring = &profile->ring;
	u32 pos = 0, left;
	int i;

	do {
		raw_spin_lock_irq(&profile->lock);
		for (i = 0; i < DRAIN_BATCH && pos < ring->used; i++) {
			if (profil_count_pc(profile, ring->pcs[pos], false))
				ring->pcs[pos] = ring->pcs[--ring->used];
			else
				pos++;
		}
		left = ring->used;
		profil_ring_give_back(ring);
		raw_spin_unlock_irq(&profile->lock);
		profil_delay();
	} while (pos < left);
	return left;
}

static int settle_locked(struct profil_profile *profile)
{
	int ret, round;

	lockdep_assert_held(&profile->settle_mutex);
	if (profile->ended)
		return 0;
	if (!profile->buffers) {
		ret = begin_child(profile);
		if (ret)
			return ret;
	}

	for (round = 0; round < ROUNDS; round++) {
		ret = pin_wanted(profile);
		if (ret)
			return ret;
		/* What is left says what is wanted. */
		if (!drain(profile))
			return 0;
	}
	return -EAGAIN;
}

/* A work does later what could not be done, unless the profile is dead. */
static void come_again(struct profil_profile *profile, int ret)
{
	unsigned long delay = HZ / 10;

	raw_spin_lock_irq(&profile->lock);
	if (!ret)
		profile->again = 0;
	else if (ret == -EAGAIN && profile->again++ < SOON)
		delay = 1;
	if (ret && !profile->dead)
		queue_delayed_work(profil_wq, &profile->settle_work, delay);
	raw_spin_unlock_irq(&profile->lock);
}

/**
 * profil_settle() - look at what is wanted, count what waits
 * @profile: whose mm has users; dead or alive
 *
 * Context: process; may sleep and fault.
 * Return: 0, -EAGAIN if mappings kept changing, -ENOMEM, -EBUSY, -EINTR.
 */
int profil_settle(struct profil_profile *profile)
{
	int ret;

	mutex_lock(&profile->settle_mutex);
	ret = settle_locked(profile);
	if (profile->mm == current->mm)
		profil_account_trim(profile);
	mutex_unlock(&profile->settle_mutex);
	come_again(profile, ret);
	return ret;
}

/* The last look at a dead profile: nobody comes later. */
void profil_settle_last(struct profil_profile *profile)
{
	int tries = LAST_TRIES;

	while (profil_settle(profile) == -EAGAIN && tries--)
		schedule_timeout_uninterruptible(1);
}

/* Context: workqueue. */
void profil_settle_work(struct work_struct *work)
{
	struct profil_profile *profile =
		container_of(to_delayed_work(work), struct profil_profile,
			     settle_work);
	struct mem_cgroup *memcg;
	int ret = -EAGAIN;

	/* In a child that died before anything was watched, nobody else says. */
	if (!mmget_not_zero(profile->mm)) {
		profil_profile_withdraw_async(profile);
		return;
	}
	memcg = profil_account_begin(profile);
	/* Whoever has it may wait for a page that never comes. */
	if (mutex_trylock(&profile->settle_mutex)) {
		ret = settle_locked(profile);
		mutex_unlock(&profile->settle_mutex);
	}
	profil_account_end(memcg);
	come_again(profile, ret);
	mmput(profile->mm);
}
