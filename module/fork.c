// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inheritance: a forked child gets a profile of its own before its first
 * tick; and the end of a thread that has one of its own.
 *
 * Nothing may sleep where the tracepoints are, so the child's profile is
 * published without buffers.  Its pcs wait until a work has looked at them.
 */
#include <linux/cred.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "profil.h"

static struct tracepoint *fork_tracepoint, *exit_tracepoint;

/* What an unprivileged child may lock is what its parent may. */
static unsigned long child_memlock(const struct profil_profile *parent)
{
	if (parent->memlock == RLIM_INFINITY &&
	    cap_raised(current_cred()->cap_effective, CAP_IPC_LOCK))
		return RLIM_INFINITY;
	return rlimit(RLIMIT_MEMLOCK);
}

/* NULL if there is nothing to inherit any more. */
static struct profil_layout *live_layout(struct profil_profile *profile)
{
	struct profil_layout *layout = NULL;
	unsigned long flags;

	/* One that is not dead still has its reference. */
	raw_spin_lock_irqsave(&profile->lock, flags);
	if (!profile->dead && profile->nr_on)
		layout = profil_layout_get(profile->layout);
	raw_spin_unlock_irqrestore(&profile->lock, flags);
	return layout;
}

static void copy_off(struct profil_profile *to, struct profil_profile *from)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&from->lock, flags);
	bitmap_copy(to->off, from->off, PROFIL_REGIONS_MAX);
	to->nr_on = from->nr_on;
	to->reason = from->reason;
	raw_spin_unlock_irqrestore(&from->lock, flags);
}

/*
 * Gives the child what its parent has: the process's, or the thread's own.
 *
 * Context: a tracepoint in fork, with preemption off on some kernels; the
 * child has not run.
 */
static void inherit(const void *parent_key, struct task_struct *task)
{
	struct profil_profile *parent, *child = NULL, *none;
	struct profil_layout *layout = NULL;

	rcu_read_lock();
	parent = profil_profile_find(parent_key);
	if (parent && parent->mm == current->mm)
		layout = live_layout(parent);
	if (!layout)
		goto out;
	child = profil_profile_create(layout, task, task->mm, GFP_ATOMIC |
				      __GFP_NOWARN | __GFP_ACCOUNT);
	profil_layout_put(layout);
	if (!child)
		goto out;
	copy_off(child, parent);
	child->memlock = child_memlock(parent);
	child->hooked = profil_hook_get_live();
	if (child->hooked && child->nr_on &&
	    !profil_profile_publish(child, &none))
		/* To hear of its end; the first pc may come much later. */
		queue_delayed_work(profil_wq, &child->settle_work, 0);
	else
		profil_profile_abandon_async(child);
out:
	rcu_read_unlock();
}

static void fork_probe(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	if (!child->mm)
		return;
	/* With CLONE_VM the child counts in its parent's profile. */
	if (child->mm != parent->mm) {
		inherit(parent->mm, child);
		inherit(parent, child);
	}
	rcu_read_lock();
	if (profil_profile_find_for(child, child->mm))
		profil_nohz_keep(child);
	rcu_read_unlock();
}

static void exit_probe(void *data, struct task_struct *task)
{
	struct profil_profile *profile;

	rcu_read_lock();
	profile = profil_profile_find(task);
	if (profile)
		profil_profile_withdraw_async(profile);
	rcu_read_unlock();
}

/* Context: process; sleeps. */
int profil_fork_arm(void)
{
	int ret;

	check_trace_callback_type_sched_process_fork(fork_probe);
	ret = tracepoint_probe_register(fork_tracepoint, fork_probe, NULL);
	if (ret)
		return ret;
	check_trace_callback_type_sched_process_exit(exit_probe);
	ret = tracepoint_probe_register(exit_tracepoint, exit_probe, NULL);
	if (ret)
		tracepoint_probe_unregister(fork_tracepoint, fork_probe, NULL);
	return ret;
}

/* On return no CPU is in a probe.  Context: process; sleeps. */
void profil_fork_disarm(void)
{
	tracepoint_probe_unregister(exit_tracepoint, exit_probe, NULL);
	tracepoint_probe_unregister(fork_tracepoint, fork_probe, NULL);
	tracepoint_synchronize_unregister();
}

static void find_tracepoint(struct tracepoint *tracepoint, void *data)
{
	if (!strcmp(tracepoint->name, "sched_process_fork"))
		fork_tracepoint = tracepoint;
	else if (!strcmp(tracepoint->name, "sched_process_exit"))
		exit_tracepoint = tracepoint;
}

int profil_fork_init(void)
{
	for_each_kernel_tracepoint(find_tracepoint, NULL);
	if (fork_tracepoint && exit_tracepoint)
		return 0;
	pr_err("this kernel has no tracepoints for fork and exit (CONFIG_TRACEPOINTS)\n");
	return -ENODEV;
}
