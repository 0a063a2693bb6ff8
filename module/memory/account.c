// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account: pinned pages are locked pages, and count against
 * RLIMIT_MEMLOCK in mm->locked_vm as those of mlock() do.  So does what huge pages
 * keep, which is known only once they are pinned: huge.c.
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
#include <linux/sched/mm.h>

#include "profil.h"

static u64 pages_needed(const struct profil_profile *profile)
{
	const struct profil_layout *layout = profile->layout;
	u64 nr_pages = profile->kept;
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

/* Of the caller's own mm never fails. */
static int uncharge_mm(struct mm_struct *mm, unsigned long nr_pages)
{
	int ret;

	if (!nr_pages)
		return 0;
	/* Nobody asks an mm that has ended, and its end may keep the lock. */
	if (atomic_read(&mm->mm_users)) {
		ret = profil_remote_write_lock(mm, mm == current->mm);
		if (ret)
			return ret;
		change_locked(mm, nr_pages, false);
		mmap_write_unlock(mm);
	}
	profil_ledger_out(PROFIL_LEDGER_PAGES_ACCOUNTED, nr_pages);
	return 0;
}

/**
 * profil_account_charge() - charge a profile for the pages of its buffers
 * @profile: not charged yet, but for what it took over
 *
 * Context: process; takes mmap_lock.  The caller holds refresh_lock.
 * Return: 0; -ENOMEM if RLIMIT_MEMLOCK would be passed; -EAGAIN if it can't be
 * told without waiting.
 */
int profil_account_charge(struct profil_profile *profile)
{
	struct mm_struct *mm = profile->mm;
	u64 limit = profile->memlock >> PAGE_SHIFT;
	u64 needed = pages_needed(profile);
	u64 more;
	int ret;

	lockdep_assert_held(&profile->refresh_lock);
	if (needed <= profile->accounted)
		return 0;
	more = needed - profile->accounted;

	ret = profil_remote_write_lock(mm, profil_profile_may_wait(profile));
	if (ret)
		return ret;
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
 * profil_account_huge() - charge a profile for huge pages that it has pinned
 * @profile: charged for the pages of its buffers
 *
 * Context: process; takes mmap_lock.  The caller holds refresh_lock.
 * Return: as profil_account_charge().
 */
int profil_account_huge(struct profil_profile *profile)
{
	int ret = profil_huge_kept(profile, &profile->kept);

	return ret ? ret : profil_account_charge(profile);
}

/**
 * profil_account_uncharge() - give back
 * @profile: whose account it is
 * @nr_pages: at most; what another profile took over is not given back here
 *
 * Context: process; takes mmap_lock.  The caller holds refresh_lock.
 * Return: 0; in another process than its own -EAGAIN, if that would wait.
 */
int profil_account_uncharge(struct profil_profile *profile,
			    unsigned long nr_pages)
{
	int ret;

	lockdep_assert_held(&profile->refresh_lock);
	nr_pages = min(nr_pages, profile->accounted);
	ret = uncharge_mm(profile->mm, nr_pages);
	if (!ret)
		profile->accounted -= nr_pages;
	return ret;
}

/**
 * profil_account_trim() - give back what is not needed
 * @profile: what it took over, or what it needed for regions that are off now
 *
 * Context: its own process; as above.
 */
void profil_account_trim(struct profil_profile *profile)
{
	unsigned long kept;
	u64 needed;

	lockdep_assert_held(&profile->refresh_lock);
	if (profile->kept && !profil_huge_kept(profile, &kept))
		profile->kept = kept;
	needed = pages_needed(profile);
	if (profile->accounted > needed)
		profil_account_uncharge(profile, profile->accounted - needed);
}

/**
 * profil_account_take() - take over the account of a profile to be replaced
 * @profile: new, and not published
 * @old: referenced, of the same mm; or NULL
 *
 * Context: process.  The two refresh_lockes are never held together.
 * Return: the pages, for profil_account_return() if it is not replaced.
 */
unsigned long profil_account_take(struct profil_profile *profile,
				  struct profil_profile *old)
{
	unsigned long nr_pages;

	if (!old)
		return 0;
	mutex_lock(&old->refresh_lock);
	nr_pages = old->accounted;
	old->accounted = 0;
	if (nr_pages)
		old->unpaid = true;
	mutex_unlock(&old->refresh_lock);
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
	mutex_lock(&old->refresh_lock);
	ended = old->ended;
	if (!ended) {
		old->accounted += nr_pages;
		old->unpaid = false;
	}
	mutex_unlock(&old->refresh_lock);
	if (ended)
		uncharge_mm(old->mm, nr_pages);
}

/**
 * profil_account_begin() - from here on, the cgroup of a profile's mm pays
 * @profile: referenced
 *
 * The cgroup is that of the time when the profile was created.  Undone by
 * profil_account_end().
 *
 * Context: workqueue; not nested.
 */
void profil_account_begin(struct profil_profile *profile)
{
	set_active_memcg(profile->memcg);
}

void profil_account_end(void)
{
	set_active_memcg(NULL);
}
