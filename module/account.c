// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account: pinned pages are locked pages, and count against
 * RLIMIT_MEMLOCK in mm->locked_vm as those of mlock() do.
 *
 * A profile that replaces another takes over its account first and is charged
 * the difference: it needs no room for both, and what was charged once is
 * never credited twice, however many threads set and stop meanwhile.
 *
 * What the kernel itself needs for a profile is charged to the process's memory
 * cgroup: by itself in the process's calls, by name in a work.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>

#include "profil.h"

static u64 pages_needed(const struct profil_profile *profile)
{
	const struct profil_layout *layout = profile->layout;
	u64 nr_pages = 0;
	u32 i;

	for (i = 0; i < layout->nr_regions; i++)
		if (!test_bit(i, profile->off))
			nr_pages += profil_buffer_nr_pages(&layout->regions[i]);
	return nr_pages;
}

/* Whether or not there is a limit was decided by the caller. */
static void change_locked(struct mm_struct *mm, unsigned long nr_pages,
			  bool more)
{
	lockdep_assert_held_write(&mm->mmap_lock);
	__account_locked_vm(mm, nr_pages, more, current, true);
}

static void uncharge(struct mm_struct *mm, unsigned long nr_pages)
{
	if (!nr_pages)
		return;
	mmap_write_lock(mm);
	change_locked(mm, nr_pages, false);
	mmap_write_unlock(mm);
	profil_ledger_out(PROFIL_LEDGER_PAGES_ACCOUNTED, nr_pages);
}

/**
 * profil_account_charge() - charge a profile for the pages of its buffers
 * @profile: not charged yet, but for what it took over
 *
 * Context: process; takes mmap_lock.  The caller holds settle_mutex.
 * Return: 0, or -ENOMEM if RLIMIT_MEMLOCK would be passed.
 */
int profil_account_charge(struct profil_profile *profile)
{
	struct mm_struct *mm = profile->mm;
	u64 limit = profile->memlock >> PAGE_SHIFT;
	u64 needed = pages_needed(profile);
	u64 more;
	int ret = 0;

	lockdep_assert_held(&profile->settle_mutex);
	if (needed <= profile->accounted)
		return 0;
	more = needed - profile->accounted;

	mmap_write_lock(mm);
	if (profile->memlock != RLIM_INFINITY && mm->locked_vm + more > limit)
		ret = -ENOMEM;
	else
		change_locked(mm, more, true);
	mmap_write_unlock(mm);
	if (ret)
		return ret;
	profile->accounted = needed;
	profil_ledger_in(PROFIL_LEDGER_PAGES_ACCOUNTED, more);
	return 0;
}

/**
 * profil_account_uncharge() - give back
 * @profile: whose account it is
 * @nr_pages: at most; what another profile took over is not given back here
 *
 * Context: process; takes mmap_lock.  The caller holds settle_mutex.
 */
void profil_account_uncharge(struct profil_profile *profile,
			     unsigned long nr_pages)
{
	lockdep_assert_held(&profile->settle_mutex);
	nr_pages = min(nr_pages, profile->accounted);
	profile->accounted -= nr_pages;
	uncharge(profile->mm, nr_pages);
}

/**
 * profil_account_trim() - give back what is not needed
 * @profile: what it took over, or what it needed for regions that are off now
 *
 * Context: as above.
 */
void profil_account_trim(struct profil_profile *profile)
{
	u64 needed = pages_needed(profile);

	lockdep_assert_held(&profile->settle_mutex);
	if (profile->accounted > needed)
		profil_account_uncharge(profile, profile->accounted - needed);
}

/**
 * profil_account_take() - take over the account of a profile to be replaced
 * @profile: new, and not published
 * @old: referenced, of the same mm; or NULL
 *
 * Context: process.  The two settle_mutexes are never held together.
 * Return: the pages, for profil_account_return() if it is not replaced.
 */
unsigned long profil_account_take(struct profil_profile *profile,
				  struct profil_profile *old)
{
	unsigned long nr_pages;

	if (!old)
		return 0;
	mutex_lock(&old->settle_mutex);
	nr_pages = old->accounted;
	old->accounted = 0;
	mutex_unlock(&old->settle_mutex);
	profile->accounted = nr_pages;
	return nr_pages;
}

/* The reverse: @profile is about to be abandoned. */
void profil_account_return(struct profil_profile *profile,
			   struct profil_profile *old, unsigned long nr_pages)
{
	bool ended;

	if (!nr_pages)
		return;
	profile->accounted -= nr_pages;
	mutex_lock(&old->settle_mutex);
	ended = old->ended;
	if (!ended)
		old->accounted += nr_pages;
	mutex_unlock(&old->settle_mutex);
	if (ended)
		uncharge(old->mm, nr_pages);
}

/**
 * profil_account_begin() - from here on, the process's cgroup pays
 * @profile: whose process it is; if that is gone, nobody pays
 *
 * Undone by profil_account_end().
 *
 * Context: a work; not nested.
 */
struct mem_cgroup *profil_account_begin(struct profil_profile *profile)
{
	struct mem_cgroup *memcg = NULL;
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(profile->pid, PIDTYPE_PID);
	if (task)
		memcg = profil_compat_get_memcg(task);
	rcu_read_unlock();
	set_active_memcg(memcg);
	return memcg;
}

void profil_account_end(struct mem_cgroup *memcg)
{
	set_active_memcg(NULL);
	mem_cgroup_put(memcg);
}
