// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles with a rate: a timer counts in them, and the tick does not.
 *
 * observe/rate.c has the timer, which serves observers as well.  It asks here
 * at context switches, and where it takes a sample.
 */
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/nospec.h>

#include "delay.h"
#include "profile/count.h"
#include "profile/lookup.h"
#include "profile/rated.h"
#include "profil.h"

#define PENDING_MS	20	/* until a worker has refreshed a buffer */

/* Written under profil_table_lock. */
u32 profil_rated[1 << PROFIL_RATED_BITS];
u32 profil_nr_rated;

/**
 * profil_rated_add() - note that a profile is, or is no longer, in the table
 * @profile: any; one without a rate changes nothing
 * @n: 1 or -1
 *
 * Context: the caller holds profil_table_lock.
 */
void profil_rated_add(const struct profil_profile *profile, int n)
{
	u32 *count = &profil_rated[hash_ptr(profile->mm, PROFIL_RATED_BITS)];

	if (!profile->layout->rate_hz)
		return;
	WRITE_ONCE(*count, *count + n);
	WRITE_ONCE(profil_nr_rated, profil_nr_rated + n);
}

/* For profil_rated_find(): one that is cached may be dead. */
struct profil_profile *profil_rated_lookup(struct task_struct *task)
{
	/* Pairs with the release in lookup_invalidate(). */
	unsigned long generation = smp_load_acquire(&profil_lookup_generation);
	struct mm_struct *mm = task->mm;
	struct profil_profile *profile;

	if (!mm || task->flags & PROFIL_PF_NO_USER)
		return NULL;
	if (this_cpu_read(profil_lookup.generation) == generation &&
	    this_cpu_read(profil_lookup.timed) == mm)
		profile = this_cpu_read(profil_lookup.rated);
	else
		profile = profil_lookup_rated_renew(task, mm);
	return profile && READ_ONCE(profile->nr_on) ? profile : NULL;
}

/* The live buffer that takes a pc, or NULL.  The tick and count.c say more. */
static struct profil_buffer *rated_buffer(struct profil_profile *profile,
					  u64 pc)
{
	u16 region = profil_index_guess(profile->guess, pc);
	struct profil_buffer *buffer;

	if (region == PROFIL_INDEX_MIXED && profile->counting)
		region = profil_layout_find(profile->layout, pc);
	/* The search says PROFIL_REGION_NONE where the index has another word. */
	if (!profil_index_is_region(region))
		return NULL;
	/* What is no region is no index, for speculation either. */
	region = array_index_nospec(region, PROFIL_INDEX_MIXED);
	buffer = profile->counting + region;
	if (!buffer->live)
		return NULL;
	profile->hot = buffer;
	return buffer;
}

/* Returns false, and nothing has changed, if it is not as simple as that. */
static bool rated_count(struct profil_profile *profile, u64 pc, bool user)
{
	struct profil_buffer *buffer;
	bool counted;

	if (!user && profile->layout->flags & PROFIL_F_USER_ONLY)
		return false;
	if (!profil_count_trylock(profile))
		return false;
	buffer = profile->hot;
	if (!profil_count_takes(buffer, pc))
		buffer = rated_buffer(profile, pc);
	counted = buffer && profil_count_in(profile, buffer, pc);
	profil_count_unlock(profile);
	return counted;
}

/**
 * profil_rated_take() - enter one sample
 * @profile: found in the same RCU read section
 * @task: current
 * @pc: the user pc
 * @user: the thread is in user mode
 * @here: called from an interrupt; else from the switch that it leaves by
 *
 * Context: interrupts off, inside an RCU read section.
 */
void profil_rated_take(struct profil_profile *profile, struct task_struct *task,
		       u64 pc, bool user, bool here)
{
	enum profil_tick ret;

	if (likely(rated_count(profile, pc, user)))
		return;
	do {
		profil_delay();
		ret = here ? profil_count_tick(profile, pc, user) :
			     profil_count_leaving(profile, pc);
		if (ret != PROFIL_TICK_DEAD)
			return;
		/* It was replaced or withdrawn: the cache may have it still. */
		profile = profil_lookup_rated_renew(task, task->mm);
	} while (profile);
}

/**
 * profil_rated_reserve() - make room for samples that are pending
 * @profile: not published
 * @gfp: as in profil_pending_reserve()
 *
 * Context: any in which @gfp may be used.
 */
void profil_rated_reserve(struct profil_profile *profile, gfp_t gfp)
{
	u64 places = (u64)profile->layout->rate_hz * num_possible_cpus() *
		     PENDING_MS / MSEC_PER_SEC;

	profil_pending_reserve(&profile->pending,
			       min_t(u64, places, PROFIL_PENDING_LARGE), gfp);
}
