// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inheritance: a forked child gets a profile of its own before its first
 * tick; and the end, by exit or exec, of one that is a thread's own.
 *
 * Nothing may sleep where the tracepoints are, so the child's profile is
 * published without buffers.  Its pcs wait until a work has looked at them.
 */
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/user_namespace.h>
#include <trace/events/sched.h>

#include "delay.h"
#include "dump/dump.h"
#include "profil.h"

/*
 * What an unprivileged child may lock is what its parent may.  Not capable(),
 * which may ask a security module that sleeps.
 */
static unsigned long task_child_memlock(const struct profil_profile *parent)
{
	if (parent->memlock == RLIM_INFINITY &&
	    current_user_ns() == &init_user_ns &&
	    cap_raised(current_cred()->cap_effective, CAP_IPC_LOCK))
		return RLIM_INFINITY;
	return rlimit(RLIMIT_MEMLOCK);
}

/*
 * The regions of the profile with this key, and the profile, while it is on;
 * else NULL.  One that is dead may have been replaced: look again.
 */
static struct profil_layout *task_live_layout(const void *key,
					      struct profil_profile **found)
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
	*found = profile;
	return layout;
}

static void task_copy_off(struct profil_profile *to,
			  struct profil_profile *from)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&from->lock, flags);
	bitmap_copy(to->off, from->off, from->layout->nr_regions);
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
static void task_inherit(const void *parent_key, struct task_struct *task)
{
	struct profil_profile *parent, *child, *none;
	struct profil_layout *layout;

	rcu_read_lock();
	layout = task_live_layout(parent_key, &parent);
	if (!layout)
		goto out;
	child = profil_profile_create(layout, task, task->mm, GFP_ATOMIC |
				      __GFP_NOWARN | __GFP_ACCOUNT);
	profil_layout_put(layout);
	if (!child)
		goto out;
	task_copy_off(child, parent);
	child->memlock = task_child_memlock(parent);
	profil_delay();
	child->hooked = profil_hook_get_live();
	if (child->hooked && child->nr_on &&
	    !profil_profile_publish(child, &none))
		/*
		 * To find its end, until a sample has a notifier tell of it.
		 * Most children have ended, or executed another program, by then.
		 */
		queue_delayed_work(profil_wq, &child->work, 1);
	else
		profil_profile_abandon_async(child);
out:
	rcu_read_unlock();
}

static void task_fork_probe(void *data, struct task_struct *parent,
			    struct task_struct *child)
{
	if (!child->mm)
		return;
	/* With CLONE_VM the child counts in its parent's profile. */
	if (child->mm != parent->mm) {
		task_inherit(parent->mm, child);
		task_inherit(parent, child);
		profil_dump_at_fork(parent, child);
	}
	rcu_read_lock();
	if (profil_profile_find_for(child, child->mm))
		profil_nohz_keep(child);
	rcu_read_unlock();
}

static void task_end_thread(struct task_struct *task)
{
	struct profil_profile *profile;

	rcu_read_lock();
	profile = profil_profile_find(task);
	if (profile)
		profil_profile_withdraw_async(profile);
	rcu_read_unlock();
}

PROFIL_EXIT_PROBE(task_exit_probe)
{
	task_end_thread(task);
	profil_dump_at_exit(task);
}

/* The old mm may live on, in a process that shared it. */
static void task_exec_probe(void *data, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *binprm)
{
	task_end_thread(task);
	profil_dump_at_exec(task);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
} task_probes[] = {
	{ "sched_process_fork", task_fork_probe },
	{ "sched_process_exit", task_exit_probe },
	{ "sched_process_exec", task_exec_probe },
};

/* On return no CPU is in a probe.  Context: process; sleeps. */
void profil_fork_disarm(void)
{
	int i = ARRAY_SIZE(task_probes);

	while (i--)
		tracepoint_probe_unregister(task_probes[i].tracepoint,
					    task_probes[i].probe, NULL);
	tracepoint_synchronize_unregister();
}

/* Context: process; sleeps. */
int profil_fork_arm(void)
{
	int i, ret;

	/* The table has no types; these are errors if one is wrong. */
	check_trace_callback_type_sched_process_fork(task_fork_probe);
	check_trace_callback_type_sched_process_exit(task_exit_probe);
	check_trace_callback_type_sched_process_exec(task_exec_probe);

	for (i = 0; i < ARRAY_SIZE(task_probes); i++) {
		ret = tracepoint_probe_register(task_probes[i].tracepoint,
						task_probes[i].probe, NULL);
		if (ret)
			goto err_unregister;
	}
	return 0;

err_unregister:
	while (i--)
		tracepoint_probe_unregister(task_probes[i].tracepoint,
					    task_probes[i].probe, NULL);
	tracepoint_synchronize_unregister();
	return ret;
}

static void task_find_tracepoint(struct tracepoint *tracepoint, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(task_probes); i++)
		if (!strcmp(tracepoint->name, task_probes[i].name))
			task_probes[i].tracepoint = tracepoint;
}

int profil_fork_init(void)
{
	int i;

	for_each_kernel_tracepoint(task_find_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(task_probes); i++) {
		if (task_probes[i].tracepoint)
			continue;
		pr_err("this kernel has no tracepoint %s (CONFIG_TRACEPOINTS)\n",
		       task_probes[i].name);
		return -ENODEV;
	}
	return 0;
}
