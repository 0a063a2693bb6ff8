// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of profiles: publish, withdraw, find, and the per-CPU cache of the
 * last lookup.  profile.c says why a freed profile is not in use.
 */
#include <linux/atomic.h>
#include <linux/tick.h>

#include "delay.h"
#include "profile/lookup.h"
#include "profile/rated.h"
#include "profil.h"

static const struct rhashtable_params table_params = {
	.head_offset = offsetof(struct profil_profile, node),
	.key_offset = offsetof(struct profil_profile, key),
	.key_len = sizeof(void *),
	.automatic_shrinking = true,
};

static struct rhashtable table;
static DEFINE_SPINLOCK(profil_table_lock);
static atomic_t nr_thread_profiles;

unsigned long profil_lookup_generation;

DEFINE_PER_CPU(struct profil_lookup, profil_lookup) = {
	.mm = PROFIL_LOOKUP_NONE,
	.timed = PROFIL_LOOKUP_NONE,
};

/**
 * profil_profile_find() - the profile with this key
 * @key: an mm or a task
 *
 * rhashtable_lookup() waits for a rehash that moves an entry of the chain.  In
 * sched_switch that could be for ever: the CPU that moves it may have been
 * interrupted, and wait for the run queue's lock.  No wait is needed, because a
 * chain is moved from its end, and each entry is in the new table before it
 * leaves the old one.
 *
 * Context: any, inside an RCU read section.
 */
struct profil_profile *profil_profile_find(const void *key)
{
	struct bucket_table *buckets = rht_dereference_rcu(table.tbl, &table);
	struct profil_profile *profile;
	struct rhash_head *head;
	u32 hash;

	while (buckets) {
		hash = rht_key_hashfn(&table, buckets, &key, table_params);
		rht_for_each_rcu(head, buckets, hash) {
			profile = container_of(head, struct profil_profile,
					       node);
			if (profile->key == key)
				return profile;
		}
		/* What the rehash wrote before it took an entry out. */
		smp_rmb();
		buckets = rht_dereference_rcu(buckets->future_tbl, &table);
	}
	return NULL;
}

/**
 * profil_profile_find_for() - the profile that counts a thread
 * @task: current
 * @mm: its mm
 *
 * Context: any, inside an RCU read section.
 */
struct profil_profile *profil_profile_find_for(struct task_struct *task,
					       struct mm_struct *mm)
{
	struct profil_profile *profile;

	if (unlikely(atomic_read(&nr_thread_profiles))) {
		profile = profil_profile_find(task);
		/* The thread may have executed a new program since. */
		if (profile && profile->mm == mm)
			return profile;
	}
	return profil_profile_find(mm);
}

/* Drops what this CPU has cached, if the table has changed since. */
static void lookup_begin(unsigned long generation)
{
	if (this_cpu_read(profil_lookup.generation) == generation)
		return;
	this_cpu_write(profil_lookup.mm, PROFIL_LOOKUP_NONE);
	this_cpu_write(profil_lookup.other, NULL);
	this_cpu_write(profil_lookup.timed, PROFIL_LOOKUP_NONE);
	this_cpu_write(profil_lookup.generation, generation);
}

/**
 * profil_lookup_renew() - find the profile that ticks count in, and cache it
 * @task: current
 * @mm: its mm
 *
 * Context: hard interrupt, inside an RCU read section.
 */
struct profil_profile *profil_lookup_renew(struct task_struct *task,
					   struct mm_struct *mm)
{
	/* Pairs with the release in lookup_invalidate(). */
	unsigned long generation = smp_load_acquire(&profil_lookup_generation);
	struct profil_profile *profile = profil_profile_find_for(task, mm);

	/* The tick leaves alone what a timer counts. */
	if (profile && profile->layout->rate_hz)
		profile = NULL;
	/* The cache has one entry for an mm, but its threads may differ. */
	if (atomic_read(&nr_thread_profiles))
		return profile;
	/* Not cached, because the thread may have a tick dependency to drop. */
	if (!profile && tick_nohz_full_enabled())
		return NULL;

	lookup_begin(generation);
	if (profile) {
		this_cpu_write(profil_lookup.profile, profile);
		this_cpu_write(profil_lookup.mm, mm);
	} else {
		this_cpu_write(profil_lookup.other, mm);
	}
	return profile;
}

/**
 * profil_lookup_rated_renew() - find the profile with a rate, and cache it
 * @task: on this CPU, or coming on
 * @mm: its mm
 *
 * Context: interrupts off, inside an RCU read section.
 */
struct profil_profile *profil_lookup_rated_renew(struct task_struct *task,
						 struct mm_struct *mm)
{
	/* Pairs with the release in lookup_invalidate(). */
	unsigned long generation = smp_load_acquire(&profil_lookup_generation);
	struct profil_profile *profile;

	/* Interrupts off are one already, but lockdep does not know that. */
	rcu_read_lock();
	profile = profil_profile_find_for(task, mm);
	rcu_read_unlock();
	if (profile && !profile->layout->rate_hz)
		profile = NULL;
	if (atomic_read(&nr_thread_profiles))
		return profile;
	lookup_begin(generation);
	this_cpu_write(profil_lookup.rated, profile);
	this_cpu_write(profil_lookup.timed, mm);
	return profile;
}

/**
 * profil_profile_get_of() - the profile with this key
 * @key: an mm or a task
 * @mm: the mm that it must count
 *
 * Context: process.
 * Return: a reference for the caller to put, or NULL.
 */
struct profil_profile *profil_profile_get_of(const void *key,
					     const struct mm_struct *mm)
{
	struct profil_profile *profile;

	rcu_read_lock();
	do {
		profile = profil_profile_find(key);
		if (!profile || profile->mm != mm) {
			profile = NULL;
			break;
		}
		profil_delay();
		/* It was replaced or withdrawn: look again. */
	} while (!refcount_inc_not_zero(&profile->ref));
	rcu_read_unlock();
	return profile;
}

/**
 * profil_profile_get() - the calling process's or thread's own profile
 * @thread: the thread's
 *
 * Context: process.
 * Return: a reference for the caller to put, or NULL.
 */
struct profil_profile *profil_profile_get(bool thread)
{
	return profil_profile_get_of(thread ? (void *)current :
					      (void *)current->mm,
				     current->mm);
}

/**
 * profil_profile_for_each() - visit every profile that is published
 * @visit: called with a reference; may sleep
 * @data: for @visit
 *
 * While profiles come and go, some may be missed and some visited twice.  That
 * is enough for a list that is read by a person.
 *
 * Context: process.
 */
void profil_profile_for_each(void (*visit)(struct profil_profile *, void *),
			     void *data)
{
	struct profil_profile *profile;
	struct rhashtable_iter iter;

	rhashtable_walk_enter(&table, &iter);
	rhashtable_walk_start(&iter);
	while ((profile = rhashtable_walk_next(&iter))) {
		if (IS_ERR(profile) || !refcount_inc_not_zero(&profile->ref))
			continue;
		rhashtable_walk_stop(&iter);
		visit(profile, data);
		profil_profile_put(profile);
		rhashtable_walk_start(&iter);
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}

/* A CPU that sees the new generation also sees the change of the table. */
static void lookup_invalidate(void)
{
	lockdep_assert_held(&profil_table_lock);
	/* Pairs with the acquire in profil_lookup_renew(). */
	smp_store_release(&profil_lookup_generation,
			  profil_lookup_generation + 1);
}

static void profile_kill(struct profil_profile *profile)
{
	unsigned long flags;

	lockdep_assert_held(&profil_table_lock);
	raw_spin_lock_irqsave(&profile->lock, flags);
	profile->dead = true;
	profile->hot = &profil_buffer_none;
	profile->counting = NULL;
	profile->guess = &profil_index_empty;
	raw_spin_unlock_irqrestore(&profile->lock, flags);
	if (profile->task)
		atomic_dec(&nr_thread_profiles);
	profil_rated_add(profile, -1);
}

/**
 * profil_profile_publish() - let ticks find it
 * @profile: hooked; if this succeeds its reference becomes the table's
 * @old: the profile that it replaced, which is dead now; the caller gets the
 *	table's reference.  Or NULL
 *
 * A tick finds the old or the new profile.  If the old one is dead by the time
 * the tick has its lock, the tick looks again.
 *
 * Context: process, or a tracepoint of fork; does not sleep.
 */
int profil_profile_publish(struct profil_profile *profile,
			   struct profil_profile **old)
{
	int ret;

	spin_lock(&profil_table_lock);
	/* A switch that looks for it has to look here first. */
	profil_rated_add(profile, 1);
	*old = rhashtable_lookup_fast(&table, &profile->key, table_params);
	if (*old)
		ret = rhashtable_replace_fast(&table, &(*old)->node,
					      &profile->node, table_params);
	else
		ret = rhashtable_insert_fast(&table, &profile->node,
					     table_params);
	if (!ret && profile->task)
		atomic_inc(&nr_thread_profiles);
	if (ret)
		profil_rated_add(profile, -1);
	profil_delay();
	if (!ret && *old)
		profile_kill(*old);
	profil_delay();
	lookup_invalidate();
	spin_unlock(&profil_table_lock);

	if (!ret && *old)
		profil_profile_unhook(*old);
	return ret;
}

/**
 * profil_profile_withdraw() - take a profile out, so that ticks find it no more
 * @profile: one that was published
 *
 * Context: process, notifier callback, or a tracepoint; does not sleep.
 * Return: true if this call did it; the caller gets the table's reference.
 */
bool profil_profile_withdraw(struct profil_profile *profile)
{
	bool mine;

	spin_lock(&profil_table_lock);
	mine = !profile->dead;
	if (mine) {
		rhashtable_remove_fast(&table, &profile->node, table_params);
		profil_delay();
		profile_kill(profile);
		profil_delay();
		lookup_invalidate();
	}
	spin_unlock(&profil_table_lock);

	if (mine)
		profil_profile_unhook(profile);
	return mine;
}

/* profil_profile_withdraw() with the teardown left to a worker. */
void profil_profile_withdraw_async(struct profil_profile *profile)
{
	if (profil_profile_withdraw(profile))
		profil_worker_end(profile);
}

int profil_table_init(void)
{
	return rhashtable_init(&table, &table_params);
}

void profil_table_exit(void)
{
	rhashtable_destroy(&table);
}
