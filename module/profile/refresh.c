// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settling: watch, account and pin a profile's buffers, pin again what was
 * remapped, and count the pcs that waited for it.
 *
 * A buffer is looked at when a pc waits for it, not when its mapping changes:
 * a program that unmaps and maps its buffer between two ticks loses nothing,
 * and a forked child that executes another program at once pins nothing.
 */
#include <linux/jiffies.h>
#include <linux/mmu_notifier.h>
#include <linux/slab.h>

#include "profil.h"

#define ROUNDS		4
#define LAST_TRIES	25	/* a tick apart */
#define PATIENCE	(5 * HZ)	/* with memory or a page that is not there */
#define MISSES		10		/* looks, at least, that found it so */

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
 * Gives back what a buffer that is off holds.  The last one takes the hooks with
 * it, and is still watched, to hear of the mm's end.  What they are charged for is
 * given back by the process's next call, or by the end: that takes mmap_lock, for
 * which a worker does not wait.
 */
static void let_go_off(struct profil_profile *profile,
		       struct profil_buffer *buffer)
{
	bool last;

	lockdep_assert_held(&profile->refresh_lock);
	raw_spin_lock_irq(&profile->lock);
	buffer->gone = false;
	last = !profile->nr_on;
	raw_spin_unlock_irq(&profile->lock);
	if (last)
		profil_buffer_drop(buffer);
	else
		profil_buffer_release(buffer);
	/* A thread's exit is only heard of through the hooks. */
	if (last && !profile->task)
		profil_profile_unhook(profile);
}

static void switch_off(struct profil_profile *profile, u32 region, u8 reason)
{
	struct profil_buffer *buffer = &profile->buffers[region];

	raw_spin_lock_irq(&profile->lock);
	profil_buffer_off(buffer, reason);
	raw_spin_unlock_irq(&profile->lock);
	let_go_off(profile, buffer);
}

/* Context: as profil_buffer_invalidate(). */
static bool refresh_invalidate(struct mmu_interval_notifier *watch,
			       const struct mmu_notifier_range *range,
			       unsigned long seq)
{
	struct profil_buffer *buffer =
		container_of(watch, struct profil_buffer, watch);

	profil_buffer_invalidate(buffer, range, seq);
	/* The address space is gone, by exec or by its last thread's exit. */
	if (range->event == MMU_NOTIFY_RELEASE)
		profil_profile_withdraw_async(buffer->profile);
	return true;
}

static const struct mmu_interval_notifier_ops refresh_ops = {
	.invalidate = refresh_invalidate,
};

static void release_buffers(struct profil_profile *profile,
			    struct profil_buffer *buffers)
{
	u32 i;

	for (i = 0; i < profile->layout->nr_regions; i++)
		profil_buffer_release(&buffers[i]);
}

/**
 * profil_refresh_begin() - watch all buffers
 * @profile: whose mm has users
 *
 * Undone by profil_refresh_end().
 *
 * Context: process; may sleep.  The caller holds refresh_lock.
 * Return: 0, -ENOMEM, -EINTR, or in another process than its own -EAGAIN.
 */
int profil_refresh_begin(struct profil_profile *profile)
{
	struct profil_buffer *buffers;
	int ret;

	lockdep_assert_held(&profile->refresh_lock);
	buffers = kvcalloc(profile->layout->nr_regions, sizeof(*buffers),
			   GFP_KERNEL_ACCOUNT);
	if (!buffers)
		return -ENOMEM;
	ret = profil_watch_buffers(profile, buffers, &refresh_ops);
	if (ret)
		goto err_release;

	raw_spin_lock_irq(&profile->lock);
	WRITE_ONCE(profile->buffers, buffers);
	if (!profile->dead)
		profile->counting = buffers;
	raw_spin_unlock_irq(&profile->lock);
	return 0;

err_release:
	release_buffers(profile, buffers);
	kvfree(buffers);
	return ret;
}

/* Whoever has it may wait for a page that never comes. */
static int lock_refresh(struct profil_profile *profile)
{
	if (profile->mm == current->mm)
		mutex_lock(&profile->refresh_lock);
	else if (!mutex_trylock(&profile->refresh_lock))
		return -EAGAIN;
	return 0;
}

/**
 * profil_refresh_end() - the reverse
 * @profile: dead, or never published
 *
 * Context: process; sleeps.
 * Return: 0; in another process than its own -EAGAIN, if it has to be called
 * again.
 */
int profil_refresh_end(struct profil_profile *profile)
{
	int ret = lock_refresh(profile);

	if (ret)
		return ret;
	profile->ended = true;
	if (profile->buffers)
		release_buffers(profile, profile->buffers);
	ret = profil_account_uncharge(profile, profile->accounted);
	mutex_unlock(&profile->refresh_lock);
	return ret;
}

/**
 * profil_refresh_pin() - pin one buffer
 * @profile: begun
 * @region: which
 *
 * Context: process; may sleep and fault.  The caller holds refresh_lock.
 */
int profil_refresh_pin(struct profil_profile *profile, u32 region)
{
	return profil_buffer_pin(&profile->buffers[region],
				 &profile->layout->regions[region]);
}

/*
 * There was no memory, or not its page: the same may be so for a while.  Looks
 * that were not possible meanwhile don't count.
 */
static bool may_come_yet(struct profil_buffer *buffer)
{
	if (!buffer->misses)
		buffer->missed_since = jiffies;
	if (buffer->misses < MISSES)
		buffer->misses++;
	return buffer->misses < MISSES ||
	       time_before(jiffies, buffer->missed_since + PATIENCE);
}

/* Undoes what pin_wanted() did to a buffer that can't be charged for now. */
static void unpin_fresh(struct profil_profile *profile, u32 region, int err)
{
	struct profil_buffer *buffer = &profile->buffers[region];

	if (err == -ENOMEM) {
		switch_off(profile, region, PROFIL_REASON_MEMLOCK);
		return;
	}
	raw_spin_lock_irq(&profile->lock);
	profil_buffer_stale(buffer);
	buffer->wanted = true;
	raw_spin_unlock_irq(&profile->lock);
	profil_buffer_drop(buffer);
}

/* Charges for huge pages that were pinned since, or lets go of them. */
static int charge_fresh(struct profil_profile *profile)
{
	bool any = false;
	int ret;
	u32 i;

	for (i = 0; i < profile->layout->nr_regions; i++)
		any |= profile->buffers[i].fresh;
	if (!any)
		return 0;
	/* What replaces it has its account, and it has none until it is dead. */
	if (profile->unpaid)
		ret = profile->dead ? 0 : -EAGAIN;
	else
		ret = profil_account_huge(profile);
	for (i = 0; i < profile->layout->nr_regions; i++) {
		if (ret && profile->buffers[i].fresh)
			unpin_fresh(profile, i, ret);
		profile->buffers[i].fresh = false;
	}
	return ret == -ENOMEM ? 0 : ret;
}

/*
 * What is wanted becomes live or is switched off; or says to come again.  One
 * that can't be pinned now does not keep the others waiting.
 */
static int pin_wanted(struct profil_profile *profile)
{
	struct profil_buffer *buffer;
	int ret, later = 0;
	u32 i;

	for (i = 0; i < profile->layout->nr_regions; i++) {
		buffer = &profile->buffers[i];
		/* A tick has switched it off. */
		if (READ_ONCE(buffer->gone) && test_bit(i, profile->off))
			let_go_off(profile, buffer);
		if (!READ_ONCE(buffer->wanted))
			continue;
		ret = profil_refresh_pin(profile, i);
		if (ret == -EAGAIN || ret == -EINTR) {
			later = ret;
			break;
		}
		if (ret == -ESTALE)
			later = -EAGAIN;
		else if ((ret == -ENOMEM || ret == -EBUSY) &&
			 may_come_yet(buffer))
			later = ret;
		else if (ret)
			switch_off(profile, i, reason_of(ret));
		else
			buffer->misses = 0;
	}
	ret = charge_fresh(profile);
	return later ? later : ret;
}

/* What a forked child's profile needs before its first pc can be counted. */
static int begin_child(struct profil_profile *profile)
{
	int ret, over;
	u32 i;

	/* Kept, if what follows has to be done again. */
	over = profil_account_charge(profile);
	if (over == -EAGAIN)
		return over;
	ret = profil_refresh_begin(profile);
	if (ret)
		return ret;
	for (i = 0; i < profile->layout->nr_regions; i++)
		profile->buffers[i].reason = profile->reason;
	if (!over)
		return 0;
	for (i = 0; i < profile->layout->nr_regions; i++)
		if (!test_bit(i, profile->off))
			switch_off(profile, i, PROFIL_REASON_MEMLOCK);
	return 0;
}

static int refresh_locked(struct profil_profile *profile)
{
	int ret, round;
	u32 left;

	lockdep_assert_held(&profile->refresh_lock);
	if (profile->ended)
		return 0;
	if (!profile->buffers) {
		/* If it isn't replaced after all, it has its account again. */
		if (profile->unpaid && !profile->dead)
			return -EAGAIN;
		ret = begin_child(profile);
		if (ret)
			return ret;
	}

	for (round = 0; round < ROUNDS; round++) {
		ret = pin_wanted(profile);
		/* What is left says what is wanted. */
		left = profil_count_pending(profile);
		if (ret || !left)
			return ret;
	}
	return -EAGAIN;
}

/**
 * profil_refresh() - look at what is wanted, count what waits
 * @profile: whose mm has users; dead or alive
 *
 * Context: process; may sleep, and in its own process fault.
 * Return: 0; -EAGAIN if mappings kept changing, or if in another process than
 * its own it would have to wait; -ENOMEM, -EBUSY, -EINTR.
 */
int profil_refresh(struct profil_profile *profile)
{
	int ret = lock_refresh(profile);

	if (ret)
		return ret;
	ret = refresh_locked(profile);
	if (profile->mm == current->mm)
		profil_account_trim(profile);
	mutex_unlock(&profile->refresh_lock);
	return ret;
}

static void let_go(struct profil_profile *profile)
{
	u32 i;

	lockdep_assert_held(&profile->refresh_lock);
	profile->kept = 0;
	for (i = 0; profile->buffers && i < profile->layout->nr_regions; i++) {
		raw_spin_lock_irq(&profile->lock);
		profil_buffer_stale(&profile->buffers[i]);
		raw_spin_unlock_irq(&profile->lock);
		profil_buffer_drop(&profile->buffers[i]);
	}
}

/**
 * profil_refresh_let_go() - unpin, and neither wait nor stop watching
 * @profile: dead, and so is its mm
 *
 * Context: process; may sleep.
 */
void profil_refresh_let_go(struct profil_profile *profile)
{
	if (lock_refresh(profile))
		return;
	let_go(profile);
	mutex_unlock(&profile->refresh_lock);
}

/*
 * What replaced it has its account: its pages must not stay.  They may be
 * waited for again if it can be charged.
 */
static void pay_again(struct profil_profile *profile)
{
	if (!READ_ONCE(profile->unpaid) || lock_refresh(profile))
		return;
	let_go(profile);
	profile->unpaid = false;
	if (profil_account_charge(profile))
		profile->unpaid = true;
	mutex_unlock(&profile->refresh_lock);
}

/*
 * The last look at a profile: nobody comes later.  Its work may be at it, and for
 * long if the buffers are large, but it waits for nobody.
 */
void profil_refresh_last(struct profil_profile *profile)
{
	int tries = LAST_TRIES;

	while (READ_ONCE(profile->pending.used) && tries--) {
		pay_again(profile);
		if (profil_refresh(profile) != -EAGAIN)
			break;
		flush_delayed_work(&profile->work);
		schedule_timeout_uninterruptible(1);
	}
}
