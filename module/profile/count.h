/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pc becomes a count: the slow path, which is count.c, and the fast one for
 * most ticks.  If that can't count the sample it changes nothing.
 */
#ifndef _PROFIL_COUNT_H
#define _PROFIL_COUNT_H

#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "region/bin.h"
#include "profil.h"

enum profil_tick {
	PROFIL_TICK_COUNTED,
	PROFIL_TICK_OFF,	/* no buffer is left */
	PROFIL_TICK_DEAD,	/* look up the profile that replaced it */
};

enum profil_tick profil_count_tick(struct profil_profile *profile, u64 pc,
				   bool user);
enum profil_tick profil_count_leaving(struct profil_profile *profile, u64 pc);
bool profil_count_pc(struct profil_profile *profile, u64 pc, bool here);
void profil_count_queue(struct profil_profile *profile);
u32 profil_count_pending(struct profil_profile *profile);

/*
 * The tick takes the lock without the preemption count, since an interrupt
 * can't be preempted; but a kernel that checks locks has to see it.
 */
#define PROFIL_LOCKS_CHECKED	(IS_ENABLED(CONFIG_DEBUG_SPINLOCK) ||	\
				 IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC))

static __always_inline bool profil_count_trylock(struct profil_profile *profile)
{
	if (PROFIL_LOCKS_CHECKED)
		return raw_spin_trylock(&profile->lock);
	return arch_spin_trylock(&profile->lock.raw_lock);
}

static __always_inline void profil_count_unlock(struct profil_profile *profile)
{
	if (PROFIL_LOCKS_CHECKED)
		raw_spin_unlock(&profile->lock);
	else
		arch_spin_unlock(&profile->lock.raw_lock);
}

/* Tasks without a user pc.  A worker of io_uring has the process's mm. */
#define PROFIL_PF_NO_USER	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)

/* Is the pc in the text that this buffer alone takes? */
static __always_inline bool
profil_count_takes(const struct profil_buffer *buffer, u64 pc)
{
	return pc - buffer->offset < buffer->len;
}

/**
 * profil_count_in() - count one tick
 * @profile: locked, not dead
 * @buffer: live
 * @pc: one that it takes
 *
 * Context: hard interrupt; neither sleeps, faults nor allocates.
 * Return: false if nothing was changed.
 */
static __always_inline bool profil_count_in(struct profil_profile *profile,
					    struct profil_buffer *buffer,
					    u64 pc)
{
	u64 place = ((pc - buffer->offset) * buffer->scale >> 16) &
		    buffer->mask;
	unsigned long index;
	void *p;

	place += buffer->first;
	/* The program chooses the pc: bounded for speculation too. */
	index = array_index_nospec(place >> PAGE_SHIFT, buffer->nr_pages);
	p = buffer->memory[index] + offset_in_page(place);
	if (unlikely(profil_bin_inc(p, buffer->mask, 1) != PROFIL_BIN_COUNTED))
		return false;
	buffer->binned++;
	profile->books.seen++;
	return true;
}

#endif /* _PROFIL_COUNT_H */
