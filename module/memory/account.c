// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account of a profile's memory.
 *
 * Pinned pages count against RLIMIT_MEMLOCK in mm->locked_vm, as those of
 * mlock() do.  The rest of a huge page counts too; huge.c finds it after the
 * pin.
 *
 * A profile that replaces another first takes over its account, and then is
 * charged the difference.  So there need not be room for both, and nothing is
 * credited twice, however many threads set and stop meanwhile.
 */
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

/* Returns -EAGAIN if mmap_lock of another process's mm is taken. */
static int uncharge_mm(struct mm_struct *mm, unsigned long nr_pages)
{
	int ret;

	if (!nr_pages)
		return 0;
	/* After the end of the mm it is not read; the end may hold the lock. */
	if (atomic_read(&mm->mm_users)) {
		ret = profil_remote_write_lock(mm, mm == current->mm);
		if (ret)
			return ret;
		__account_locked_vm(mm, nr_pages, false, current, true);
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
 * Return: 0; -ENOMEM if RLIMIT_MEMLOCK would be passed; -EAGAIN if a worker did
 * not get mmap_lock.
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
		__account_locked_vm(mm, more, true, current, true);
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
 * Return: as profil_account_charge(), or -ENOMEM without memory for the list.
 */
int profil_account_huge(struct profil_profile *profile)
{
	int ret = profil_huge_kept(profile, &profile->kept);

	return ret ? ret : profil_account_charge(profile);
}

/**
 * profil_account_uncharge() - give back a part of the account
 * @profile: one that is charged
 * @nr_pages: at most; pages that another profile took over are not given back
 *
 * Context: process; takes mmap_lock.  The caller holds refresh_lock.
 * Return: 0; -EAGAIN if a worker did not get mmap_lock.
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
 * profil_account_trim() - give back what the profile no longer needs
 * @profile: one that took over an account, or has regions that are off
 *
 * Context: the profile's own process; takes mmap_lock.  The caller holds
 * refresh_lock.
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

/* Undoes profil_account_take(): @profile is about to be torn down. */
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
