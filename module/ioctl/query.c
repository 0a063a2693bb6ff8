// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_IOC_QUERY and PROFIL_IOC_STOP: what a program is told of its profile.
 */
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ioctl/ioctl.h"
#include "observe/observe.h"
#include "profil.h"

/**
 * profil_status_cpu_ns() - the CPU time of what a profile counts
 * @profile: referenced
 *
 * The caller may be another process with the same mm.
 *
 * Context: process.
 * Return: ns since the start of the process or thread; 0 if the process has
 * left the mm.
 */
u64 profil_status_cpu_ns(const struct profil_profile *profile)
{
	struct task_struct *process;
	u64 sum = 0;

	if (profile->task)
		return profil_cputime_thread(profile->task);
	rcu_read_lock();
	process = pid_task(profile->pid, PIDTYPE_TGID);
	if (process && profil_join_has_mm(process->signal, profile->mm))
		sum = profil_cputime_process(process->signal);
	rcu_read_unlock();
	return sum;
}

/*
 * CPU time since the profile was set, and never less than before.  Each caller knows
 * the time of its own thread best, so that another may know less of the sum.
 */
static u64 query_cpu_ns(struct profil_profile *profile)
{
	u64 now = profil_status_cpu_ns(profile);

	if (!now)
		return 0;
	/* The start may have time of its thread that no tick has added up. */
	now -= min(now, profile->cpu_start);
	raw_spin_lock_irq(&profile->lock);
	profile->books.cpu_ns = max(profile->books.cpu_ns, now);
	now = profile->books.cpu_ns;
	raw_spin_unlock_irq(&profile->lock);
	return now;
}

static void query_read_buffer(const struct profil_profile *profile, u32 region,
			      struct profil_region_status *status)
{
	const struct profil_buffer *buffer;

	memset(status, 0, sizeof(*status));
	status->state = test_bit(region, profile->off) ? PROFIL_STATE_OFF :
							 PROFIL_STATE_ON;
	if (!profile->buffers)
		return;
	buffer = &profile->buffers[region];
	if (status->state == PROFIL_STATE_OFF)
		status->reason = buffer->reason;
	status->binned = buffer->binned;
	status->saturated = buffer->saturated;
}

/**
 * profil_status_snapshot() - copy the state and the books at one instant
 * @profile: referenced
 * @status: state, reason, nr_regions and books are filled in
 * @regions: filled in for the regions of the profile, at most @nr_regions
 * @nr_regions: may be 0
 *
 * Context: process; interrupts are off for as long as it takes.
 */
void profil_status_snapshot(struct profil_profile *profile,
			    struct profil_status *status,
			    struct profil_region_status *regions,
			    u32 nr_regions)
{
	struct profil_books *books = &status->books;
	struct profil_region_status region;
	u64 missed;
	u32 i;

	raw_spin_lock_irq(&profile->lock);
	status->state = profile->nr_on ? PROFIL_STATE_ON : PROFIL_STATE_OFF;
	status->reason = profile->nr_on ? PROFIL_REASON_NONE : profile->reason;
	status->nr_regions = profile->layout->nr_regions;
	*books = profile->books;
	books->pending = profile->pending.used;
	missed = atomic64_read(&profile->missed);
	books->seen += missed;
	books->lost += missed;
	for (i = 0; i < profile->layout->nr_regions; i++) {
		query_read_buffer(profile, i, &region);
		books->binned += region.binned;
		books->saturated += region.saturated;
		if (i < nr_regions)
			regions[i] = region;
	}
	raw_spin_unlock_irq(&profile->lock);
}

static int query_check(const struct profil_status *status)
{
	if (status->flags & ~PROFIL_F_THREAD || status->reserved)
		return -EINVAL;
	if (status->nr_regions &&
	    status->region_size < sizeof(struct profil_region_status))
		return -EINVAL;
	if (status->nr_regions && status->region_size > PAGE_SIZE)
		return -E2BIG;
	if (status->target_type || status->target)
		return -EOPNOTSUPP;
	return 0;
}

static int query_put_regions(void __user *to, u32 stride,
			     const struct profil_region_status *regions, u32 nr)
{
	size_t size = sizeof(*regions);
	u32 i;

	for (i = 0; i < nr; i++, to += stride) {
		if (copy_to_user(to, &regions[i], size))
			return -EFAULT;
		if (clear_user(to + size, stride - size))
			return -EFAULT;
	}
	return 0;
}

/**
 * profil_status_get() - fill in what QUERY or STOP report
 * @status: the request, and the answer
 * @stop: end the profile after its last sample
 *
 * Context: the caller's process; may sleep and fault.
 */
int profil_status_get(struct profil_status *status, bool stop)
{
	bool thread = status->flags & PROFIL_F_THREAD;
	void __user *to = u64_to_user_ptr(status->regions);
	struct profil_region_status *regions = NULL;
	struct profil_profile *profile;
	u32 nr_regions, nr;
	int ret;

	ret = query_check(status);
	if (ret)
		return ret;
	nr_regions = min_t(u32, status->nr_regions, PROFIL_REGIONS_MAX);
	if (nr_regions) {
		regions = kvcalloc(nr_regions, sizeof(*regions), GFP_KERNEL);
		if (!regions)
			return -ENOMEM;
	}
	status->hz = HZ;
	status->state = PROFIL_STATE_OFF;
	status->reason = PROFIL_REASON_NONE;
	status->nr_regions = 0;
	memset(&status->books, 0, sizeof(status->books));

	profil_rate_tell_all();
again:
	profile = profil_profile_get(thread);
	if (!profile)
		goto out_free;
	status->hz = profile->layout->rate_hz ? : HZ;
	nr = min_t(u32, nr_regions, profile->layout->nr_regions);
	/* Write once before the profile is stopped, so that EFAULT does not end it. */
	ret = query_put_regions(to, status->region_size, regions, nr);
	if (ret)
		goto out_put;
	profil_worker_again(profile, profil_refresh(profile));
	if (stop && !profil_profile_withdraw(profile)) {
		/* Another thread stopped or replaced it. */
		profil_profile_put(profile);
		goto again;
	}
	if (stop)
		profil_refresh_last(profile);
	profil_status_snapshot(profile, status, regions, nr);
	status->books.cpu_ns = query_cpu_ns(profile);
	if (stop) {
		/* There was no memory to count them. */
		status->books.lost += status->books.pending;
		status->books.pending = 0;
		profil_profile_teardown(profile);
	}
	ret = query_put_regions(to, status->region_size, regions, nr);
out_put:
	profil_profile_put(profile);
out_free:
	kvfree(regions);
	return ret;
}
