// SPDX-License-Identifier: GPL-2.0-only
/*
 * A forked child's profile: a copy of its parent's regions, and of their state.
 *
 * Fork's tracepoint must not sleep, so the child's profile is published without
 * buffers.  Its samples are pending until a work item has pinned some.
 */
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "delay.h"
#include "profile/rated.h"
#include "profil.h"

/*
 * An unprivileged child may lock as much as its parent.  Not capable(), because
 * that may ask a security module that sleeps.
 */
static unsigned long inherit_memlock(const struct profil_profile *parent)
{
	if (parent->memlock == RLIM_INFINITY &&
	    current_user_ns() == &init_user_ns &&
	    cap_raised(current_cred()->cap_effective, CAP_IPC_LOCK))
		return RLIM_INFINITY;
	return rlimit(RLIMIT_MEMLOCK);
}

/*
 * Returns the regions of the profile with this key while it is on; else NULL.
 * A profile that is dead may have been replaced, so the key is looked up again.
 */
static struct profil_layout *inherit_layout(const void *key,
					    struct profil_profile **parent)
{
	struct profil_layout *layout = NULL;
	struct profil_profile *profile;
	unsigned long flags;
	bool dead;

	do {
		profile = profil_profile_find(key);
		if (!profile || profile->mm != current->mm)
			return NULL;
		profil_delay();
		/* One that is not dead still has its reference. */
		raw_spin_lock_irqsave(&profile->lock, flags);
		dead = profile->dead;
		if (!dead && profile->nr_on)
			layout = profil_layout_get(profile->layout);
		raw_spin_unlock_irqrestore(&profile->lock, flags);
	} while (dead);
	*parent = profile;
	return layout;
}

/**
 * profil_profile_inherit() - give a child what its parent has
 * @key: current's mm for the profile of the process; current for that of the
 *	thread
 * @task: the child, with another mm
 *
 * Without memory for it the child has no profile.
 *
 * Context: fork's tracepoint, with preemption off on some kernels; does not
 * sleep; the child has not run.
 */
void profil_profile_inherit(const void *key, struct task_struct *task)
{
	struct profil_profile *parent, *child, *none;
	struct profil_layout *layout;
	unsigned long flags;

	rcu_read_lock();
	layout = inherit_layout(key, &parent);
	if (!layout)
		goto out;
	child = profil_profile_create(layout, task, task->mm, GFP_ATOMIC |
				      __GFP_NOWARN | __GFP_ACCOUNT);
	profil_layout_put(layout);
	if (!child)
		goto out;
	raw_spin_lock_irqsave(&parent->lock, flags);
	bitmap_copy(child->off, parent->off, parent->layout->nr_regions);
	child->nr_on = parent->nr_on;
	child->reason = parent->reason;
	raw_spin_unlock_irqrestore(&parent->lock, flags);
	child->memlock = inherit_memlock(parent);
	profil_rated_reserve(child, GFP_ATOMIC);
	profil_delay();
	if (!profil_profile_hook(child, false) && child->nr_on &&
	    !profil_profile_publish(child, &none)) {
		/*
		 * The work item sees whether the child has ended, until a
		 * sample leads to a notifier, which tells of the end.
		 */
		queue_delayed_work(profil_wq, &child->work, 1);
	} else {
		profil_profile_unhook(child);
		profil_worker_end(child);
	}
out:
	rcu_read_unlock();
}
