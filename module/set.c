// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_IOC_SET: a profile from what a program asks for.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "profil.h"

static int check(const struct profil_set *set)
{
	if (set->flags & ~(PROFIL_F_THREAD | PROFIL_F_USER_ONLY) ||
	    set->reserved)
		return -EINVAL;
	if (set->rate_hz || set->rate_jitter || set->target_type ||
	    set->target || set->dump)
		return -EOPNOTSUPP;
	return 0;
}

/* Says no before anything is allocated for a buffer that can't be pinned. */
static int check_buffers(struct mm_struct *mm,
			 const struct profil_layout *layout)
{
	int ret = 0;
	u32 i;

	mmap_read_lock(mm);
	for (i = 0; i < layout->nr_regions && !ret; i++)
		ret = profil_buffer_check(mm, &layout->regions[i]);
	mmap_read_unlock(mm);
	return ret;
}

/* The account of the profile that the new one takes the place of. */
static unsigned long credit_of_old(bool thread)
{
	struct profil_profile *old = profil_profile_get(thread);
	unsigned long credit;

	if (!old)
		return 0;
	credit = READ_ONCE(old->accounted);
	profil_profile_put(old);
	return credit;
}

static int pin_buffers(struct profil_profile *profile)
{
	unsigned long credit = credit_of_old(profile->task);
	u32 i;
	int ret;

	mutex_lock(&profile->settle_mutex);
	ret = profil_settle_begin(profile);
	if (!ret)
		ret = profil_settle_account(profile, credit);
	for (i = 0; i < profile->layout->nr_regions && !ret; i++) {
		ret = profil_settle_pin(profile, i);
		/* It is there, and changing: the first pc looks again. */
		if (ret == -EAGAIN)
			ret = 0;
	}
	mutex_unlock(&profile->settle_mutex);
	return ret;
}

/* What a program's own store would do is a fault, however it came about. */
static int user_error(int ret)
{
	switch (ret) {
	case -ENXIO:
	case -EACCES:
		return -EFAULT;
	default:
		return ret;
	}
}

static int set_layout(struct profil_layout *layout)
{
	bool thread = layout->flags & PROFIL_F_THREAD;
	struct mm_struct *mm = current->mm;
	struct profil_profile *profile, *old;
	int ret;

	ret = check_buffers(mm, layout);
	if (ret)
		return ret;
	profile = profil_profile_create(layout, current, mm,
					GFP_KERNEL_ACCOUNT);
	if (!profile)
		return -ENOMEM;
	profile->memlock = capable(CAP_IPC_LOCK) ? RLIM_INFINITY :
						   rlimit(RLIMIT_MEMLOCK);
	profile->cpu_start = profil_status_cpu_ns(thread);

	ret = pin_buffers(profile);
	if (ret)
		goto err_abandon;
	ret = profil_hook_get();
	if (ret)
		goto err_abandon;
	profile->hooked = true;
	ret = profil_profile_publish(profile, &old);
	if (ret)
		goto err_abandon;

	profil_nohz_keep_all(profile);
	if (old) {
		/* What still waited belongs into its buffers. */
		profil_settle(old);
		profil_profile_teardown(old);
	}
	return 0;

err_abandon:
	profil_profile_abandon(profile);
	return ret;
}

/**
 * profil_set() - start or replace the caller's profile
 * @set: the request
 *
 * If it fails, nothing has changed.
 *
 * Context: the caller's process; may sleep and fault.
 */
int profil_set(const struct profil_set *set)
{
	struct profil_layout *layout;
	int ret;

	ret = check(set);
	if (ret)
		return ret;
	layout = profil_layout_create(set);
	if (IS_ERR(layout))
		return PTR_ERR(layout);
	ret = user_error(set_layout(layout));
	profil_layout_put(layout);
	return ret;
}
