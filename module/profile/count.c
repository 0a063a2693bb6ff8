// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pc becomes a count: in a bin, outside, pending or lost.
 */
#include <linux/minmax.h>
#include <linux/nospec.h>

#include "delay.h"
#include "profile/count.h"
#include "profil.h"
#include "region/segments.h"

#define DRAIN_BATCH	64	/* counted with interrupts off */

static bool buffer_takes(const struct profil_profile *profile, u16 region)
{
	return region != PROFIL_REGION_NONE && !test_bit(region, profile->off);
}

/* The region that counts the pc: its owner if that is on, or the overflow. */
static u16 find_region(const struct profil_profile *profile, u64 pc)
{
	const struct profil_layout *layout = profile->layout;
	u16 region = profil_layout_find(layout, pc);

	if (buffer_takes(profile, region))
		return region;
	region = layout->overflow;
	if (buffer_takes(profile, region) &&
	    pc >= layout->regions[region].offset)
		return region;
	return PROFIL_REGION_NONE;
}

/*
 * A tick that finds a buffer unmapped queues the worker.  If the worker runs
 * late, another mapping may be there by then, and nothing may be counted in
 * that.
 */
static bool is_gone_for_good(struct profil_buffer *buffer, u32 rate_hz)
{
	/* A rate of less than the tick's has to have as many samples. */
	return buffer->gone && buffer->gone++ >=
	       PROFIL_GONE_TICKS * max_t(u32, rate_hz, HZ) / HZ;
}

/**
 * profil_count_pc() - enter one pc in its bin or in the books
 * @profile: not dead, or being torn down
 * @pc: a user address
 * @here: called from an interrupt of a thread that runs in the profile's mm
 *
 * Context: any; the caller holds the profile's lock.
 * Return: false if the sample is pending until the profile is refreshed.
 */
bool profil_count_pc(struct profil_profile *profile, u64 pc, bool here)
{
	const struct profil_region *region;
	struct profil_buffer *buffer;
	u16 index;

	lockdep_assert_held(&profile->lock);
again:
	index = find_region(profile, pc);
	if (index == PROFIL_REGION_NONE) {
		profile->books.outside++;
		return true;
	}
	if (!profile->buffers)
		return false;

	index = array_index_nospec(index, profile->layout->nr_regions);
	buffer = &profile->buffers[index];
	region = &profile->layout->regions[index];
	if (buffer->live)
		return profil_buffer_inc(buffer, region, pc);
	buffer->wanted = true;
	if (!here)
		return false;
	if (!profil_buffer_inc_mapped(buffer, region, pc)) {
		if (!is_gone_for_good(buffer, profile->layout->rate_hz))
			return false;
		profil_buffer_off(buffer, PROFIL_REASON_UNMAPPED);
		queue_delayed_work(profil_wq, &profile->work, 0);
		goto again;
	}
	/* Under the lock: teardown cancels after `dead` is set. */
	if (buffer->looks > buffer->nr_pages / 4)
		queue_delayed_work(profil_wq, &profile->work, 0);
	return true;
}

/**
 * profil_count_queue() - have the worker look at a sample that is pending
 * @profile: not dead
 *
 * Context: any; the caller holds the profile's lock.  Wakes a worker.
 */
void profil_count_queue(struct profil_profile *profile)
{
	lockdep_assert_held(&profile->lock);
	/* Under the lock: teardown cancels after `dead` is set. */
	if (profile->buffers || profile->again || profile->pending.used > 1)
		queue_delayed_work(profil_wq, &profile->work, 0);
	else	/* Only once, because it moves a queued work item. */
		mod_delayed_work(profil_wq, &profile->work, 0);
}

static enum profil_tick count_locked(struct profil_profile *profile, u64 pc,
				     bool user, bool here)
{
	lockdep_assert_held(&profile->lock);
	if (profile->dead)
		return PROFIL_TICK_DEAD;
	if (!profile->nr_on)
		return PROFIL_TICK_OFF;
	if (!user && profile->layout->flags & PROFIL_F_USER_ONLY) {
		profile->books.excluded++;
		return PROFIL_TICK_COUNTED;
	}

	profile->books.seen++;
	if (profil_count_pc(profile, pc, here))
		return PROFIL_TICK_COUNTED;
	if (!profil_pending_push(&profile->pending, pc))
		profile->books.lost++;
	if (here)
		profil_count_queue(profile);
	if (!here || profil_pending_is_short(&profile->pending))
		irq_work_queue(&profile->grow);
	return PROFIL_TICK_COUNTED;
}

/**
 * profil_count_tick() - enter one tick
 * @profile: found in the same RCU read section
 * @pc: the user pc
 * @user: the tick came in user mode
 *
 * Context: hard interrupt; neither sleeps, faults nor allocates.
 */
enum profil_tick profil_count_tick(struct profil_profile *profile, u64 pc,
				   bool user)
{
	enum profil_tick ret;

	raw_spin_lock(&profile->lock);
	ret = count_locked(profile, pc, user, true);
	raw_spin_unlock(&profile->lock);
	return ret;
}

/**
 * profil_count_leaving() - enter a sample of a thread that leaves its CPU
 * @profile: found in the same RCU read section
 * @pc: the user pc
 *
 * The holder of the profile's lock may wait for the run queue's lock, because
 * it wakes workers.  So this neither waits for the first, nor wakes a worker.
 *
 * Context: sched_switch, under the run queue's lock.
 */
enum profil_tick profil_count_leaving(struct profil_profile *profile, u64 pc)
{
	enum profil_tick ret;

	if (!raw_spin_trylock(&profile->lock)) {
		/* A thread that leaves is in the kernel. */
		if (profile->layout->flags & PROFIL_F_USER_ONLY)
			return PROFIL_TICK_COUNTED;
		atomic64_inc(&profile->missed);
		return PROFIL_TICK_COUNTED;
	}
	ret = count_locked(profile, pc, false, false);
	raw_spin_unlock(&profile->lock);
	return ret;
}

/**
 * profil_count_pending() - count the pending samples
 * @profile: one with buffers
 *
 * Context: process.  The caller holds refresh_lock.
 * Return: how many are still pending.
 */
u32 profil_count_pending(struct profil_profile *profile)
{
	struct profil_pending *pending = &profile->pending;
	u32 pos = 0, left;
	int i;

	do {
		raw_spin_lock_irq(&profile->lock);
		for (i = 0; i < DRAIN_BATCH && pos < pending->used; i++) {
			if (profil_count_pc(profile, pending->pcs[pos], false))
				pending->pcs[pos] = pending->pcs[--pending->used];
			else
				pos++;
		}
		left = pending->used;
		raw_spin_unlock_irq(&profile->lock);
		profil_delay();
	} while (pos < left);
	return left;
}
