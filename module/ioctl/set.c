// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_IOC_SET: a profile from what a program asks for.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "dump/dump.h"
#include "hooks/hooks.h"
#include "ioctl/ioctl.h"
#include "observe/observe.h"
#include "profile/rated.h"
#include "profil.h"

static int set_check(const struct profil_set *set)
{
	if (set->flags & ~(PROFIL_F_THREAD | PROFIL_F_USER_ONLY) ||
	    set->reserved)
		return -EINVAL;
	if (set->rate_jitter || set->target_type || set->target)
		return -EOPNOTSUPP;
	/* A dump belongs to a process, not to a thread. */
	if (set->dump && set->flags & PROFIL_F_THREAD)
		return -EINVAL;
	return set->rate_hz ? profil_rate_check(set->rate_hz) : 0;
}

/* Fails before memory is allocated for a buffer that can't be pinned. */
static int set_check_buffers(struct mm_struct *mm,
			     const struct profil_layout *layout)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < layout->nr_regions && !ret; i++) {
		/* Other threads get the lock in between. */
		if (mmap_read_lock_killable(mm))
			return -EINTR;
		ret = profil_vma_check(mm, &layout->regions[i]);
		mmap_read_unlock(mm);
	}
	return ret;
}

static int set_pin_buffers(struct profil_profile *profile)
{
	u32 i;
	int ret;

	mutex_lock(&profile->refresh_lock);
	ret = profil_refresh_begin(profile);
	if (!ret)
		ret = profil_account_charge(profile);
	for (i = 0; i < profile->layout->nr_regions && !ret; i++) {
		ret = profil_buffer_pin(&profile->buffers[i]);
		/* Its mapping is changing: the first sample pins it. */
		if (ret == -ESTALE)
			ret = 0;
	}
	if (!ret)
		ret = profil_account_huge(profile);
	mutex_unlock(&profile->refresh_lock);
	return ret;
}

static int set_user_error(int ret)
{
	switch (ret) {
	case -ENXIO:
	case -EACCES:
		/* The program's own store would fail like this. */
		return -EFAULT;
	case -EINTR:
		/* Nothing has changed yet, so other signals restart it. */
		return fatal_signal_pending(current) ? -EINTR :
						       -ERESTARTNOINTR;
	default:
		return ret;
	}
}

/* The old profile's place, account and pending samples become the new one's. */
static int set_start(struct profil_profile *profile)
{
	bool thread = profile->task;
	struct profil_profile *before, *old = NULL;
	unsigned long taken;
	int ret;

	before = profil_profile_get(thread);
	taken = profil_account_take(profile, before);
	ret = set_pin_buffers(profile);
	if (!ret)
		ret = profil_profile_hook(profile, true);
	if (profile->layout->rate_hz)
		profil_rate_tell_all();
	if (!ret)
		ret = profil_profile_publish(profile, &old);
	if (ret)
		profil_account_return(profile, before, taken);
	if (before)
		profil_profile_put(before);
	if (ret)
		return ret;

	mutex_lock(&profile->refresh_lock);
	profil_account_trim(profile);
	mutex_unlock(&profile->refresh_lock);
	if (profile->layout->rate_hz)
		profil_rate_begin(NULL, profile->mm);
	else
		profil_nohz_keep_all(profile);
	if (old) {
		profil_refresh_last(old);
		profil_profile_teardown(old);
	}
	return 0;
}

static int set_layout(struct profil_layout *layout)
{
	struct profil_profile *profile;
	int ret;

	ret = set_check_buffers(current->mm, layout);
	if (ret)
		return ret;
	profile = profil_profile_create(layout, current, current->mm,
					GFP_KERNEL_ACCOUNT);
	if (!profile)
		return -ENOMEM;
	profile->memlock = capable(CAP_IPC_LOCK) ? RLIM_INFINITY :
						   rlimit(RLIMIT_MEMLOCK);
	profil_rated_reserve(profile, GFP_KERNEL);
	profile->cpu_start = profil_status_cpu_ns(profile);
	/* Another thread may end it as soon as it is published. */
	refcount_inc(&profile->ref);
	ret = set_start(profile);
	if (ret)
		profil_profile_teardown(profile);
	profil_profile_put(profile);
	return ret;
}

static int set_with_dump(struct profil_layout *layout,
			 const struct profil_dump *request)
{
	struct profil_dump_file *dump = profil_request_begin(request);
	int ret;

	if (IS_ERR(dump))
		return PTR_ERR(dump);
	ret = set_layout(layout);
	profil_dump_end(dump, request, !ret);
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
	struct profil_dump request;
	int ret;

	ret = set_check(set);
	if (!ret && set->dump)
		ret = profil_request_read(&request, u64_to_user_ptr(set->dump));
	if (ret)
		return ret;
	layout = profil_layout_create(set);
	if (IS_ERR(layout))
		return PTR_ERR(layout);
	ret = set->dump ? set_with_dump(layout, &request) : set_layout(layout);
	ret = set_user_error(ret);
	profil_layout_put(layout);
	return ret;
}
