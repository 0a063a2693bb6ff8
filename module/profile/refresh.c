// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refreshing a profile's buffers.
 *
 * The notifier invalidates a buffer before its mapping changes.  From then on
 * samples for it are pending.  A refresh looks at what is mapped there now,
 * pins it and counts the pending samples; if it can't be pinned, the region is
 * off.
 *
 * A buffer is refreshed because a sample is pending, not because its mapping
 * has changed.  So a program that unmaps and maps its buffer between two ticks
 * loses nothing, and a forked child that calls exec at once pins nothing.
 *
 * Locks: refresh_lock covers pinning and the account; profile->lock covers what
 * the tick reads.  A worker never blocks on userspace here.
 */
#include <linux/jiffies.h>
#include <linux/mmu_notifier.h>
#include <linux/slab.h>

#include "profile/count.h"

#define ROUNDS		4
#define LAST_TRIES	25	/* a tick apart */
#define PATIENCE	(5 * HZ)	/* with memory that is missing */
#define MISSES		10		/* refreshes in that time, at least */

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
 * Gives back what a buffer that is off holds.  With the last buffer the profile
 * gives up the hooks too; that buffer keeps its notifier, which tells of the
 * mm's end.  The account stays until the process's next call or the teardown,
 * because a worker does not wait for mmap_lock.
 */
static void let_go_off(struct profil_profile *profile,
		       struct profil_buffer *buffer)
{
	bool last;

	lockdep_assert_held(&profile->refresh_lock);
	raw_spin_lock_irq(&profile->lock);
	buffer->gone = 0;
	last = !profile->nr_on;
	raw_spin_unlock_irq(&profile->lock);
	if (last)
		profil_buffer_drop(buffer);
	else
		profil_buffer_release(buffer);
	/* Only a hook tells of a thread's exit. */
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
 * profil_refresh_begin() - allocate the buffers and watch them
 * @profile: its mm has users
 *
 * Undone by profil_refresh_end().
 *
 * Context: process; may sleep.  The caller holds refresh_lock.
 * Return: 0; -ENOMEM; -EINTR; -EAGAIN in a worker, which would have to wait.
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
	if (ret) {
		release_buffers(profile, buffers);
		kvfree(buffers);
		return ret;
	}

	raw_spin_lock_irq(&profile->lock);
	WRITE_ONCE(profile->buffers, buffers);
	/* The teardown of a dead profile frees them, but no tick may count. */
	if (!profile->dead) {
		profile->counting = buffers;
		profile->guess = &profile->layout->index;
	}
	raw_spin_unlock_irq(&profile->lock);
	return 0;
}

/* The holder may be faulting in a page that never arrives: no worker waits. */
static int lock_refresh(struct profil_profile *profile)
{
	if (profile->mm == current->mm)
		mutex_lock(&profile->refresh_lock);
	else if (!mutex_trylock(&profile->refresh_lock))
		return -EAGAIN;
	return 0;
}

/**
 * profil_refresh_end() - release all buffers and the account
 * @profile: dead, or never published
 *
 * Context: process; sleeps.
 * Return: 0; -EAGAIN if a worker has to call it again.
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

/*
 * Memory, or a page, was missing and may come: true for PATIENCE, and until
 * MISSES refreshes have found it missing, because a worker may run seldom.
 */
static bool may_come_yet(struct profil_buffer *buffer)
{
	if (!buffer->misses)
		buffer->missed_since = jiffies;
	if (buffer->misses < MISSES)
		buffer->misses++;
	return buffer->misses < MISSES ||
	       (u32)jiffies - buffer->missed_since < PATIENCE;
}

/* Undoes pin_wanted() for a buffer that can't be charged for now. */
static void unpin_fresh(struct profil_profile *profile, u32 region, int err)
{
	struct profil_buffer *buffer = &profile->buffers[region];

	if (err == -ENOMEM) {
		switch_off(profile, region, PROFIL_REASON_MEMLOCK);
		return;
	}
	profil_buffer_drop(buffer);
	raw_spin_lock_irq(&profile->lock);
	/* A tick may have switched it off: then it is not pinned again. */
	buffer->wanted = !test_bit(region, profile->off);
	raw_spin_unlock_irq(&profile->lock);
}

/* Charges for the huge pages that pin_wanted() has pinned, or unpins them. */
static int charge_fresh(struct profil_profile *profile)
{
	bool any = false;
	int ret;
	u32 i;

	for (i = 0; i < profile->layout->nr_regions; i++)
		any |= profile->buffers[i].fresh;
	if (!any)
		return 0;
	/* The account is with the profile's replacement. */
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
 * Each wanted buffer becomes live, is switched off, or has to be tried again.
 * One that can't be pinned now does not hold up the others.
 */
static int pin_wanted(struct profil_profile *profile)
{
	struct profil_buffer *buffer;
	int ret, later = 0;
	u32 i;

	for (i = 0; i < profile->layout->nr_regions; i++) {
		buffer = &profile->buffers[i];
		/* The tick switches a buffer off, but can't release it. */
		if (READ_ONCE(buffer->gone) && test_bit(i, profile->off))
			let_go_off(profile, buffer);
		if (!READ_ONCE(buffer->wanted))
			continue;
		ret = profil_buffer_pin(buffer);
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

/* Charges and watches the buffers of a forked child, at its first refresh. */
static int begin_child(struct profil_profile *profile)
{
	int ret, over;
	u32 i;

	/* The charge is kept if the next step has to be tried again. */
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
		/* The account comes back if the replacement fails. */
		if (profile->unpaid && !profile->dead)
			return -EAGAIN;
		ret = begin_child(profile);
		if (ret)
			return ret;
	}

	for (round = 0; round < ROUNDS; round++) {
		ret = pin_wanted(profile);
		/* A sample that stays pending wants its buffer. */
		left = profil_count_pending(profile);
		if (ret || !left)
			return ret;
	}
	return -EAGAIN;
}

/**
 * profil_refresh() - pin the wanted buffers, count the pending samples
 * @profile: its mm has users; dead or alive
 *
 * Context: process; may sleep, and in its own process fault.
 * Return: 0; -EAGAIN if mappings kept changing or a worker would have to wait;
 * -ENOMEM; -EBUSY; -EINTR.
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
	for (i = 0; profile->buffers && i < profile->layout->nr_regions; i++)
		profil_buffer_drop(&profile->buffers[i]);
}

/**
 * profil_refresh_let_go() - unpin all buffers without waiting
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
 * A profile that has given its account to its replacement must not keep its
 * pages.  If it can be charged again, its last refresh may sleep for them.
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
 * The last refresh of a profile.  A worker may be refreshing it, for long if
 * the buffers are large, but a worker never blocks on userspace.
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
