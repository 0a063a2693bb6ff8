// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick of a nohz_full CPU, which stops while one thread runs there alone,
 * unless that thread depends on it.
 *
 * Each thread with a profile gets a dependency.  The thread loses it at its next
 * tick without a profile, or when the hooks are taken out.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tick.h>

#include "hooks/hooks.h"
#include "profil.h"

/* Perf sets this bit of CPUs alone, so that of a task is free. */
#define DEPENDENCY	TICK_DEP_BIT_PERF_EVENTS

/**
 * profil_nohz_keep() - make a thread depend on the tick
 * @task: a thread with a profile, or with one that is about to be published
 *
 * Context: any.
 */
void profil_nohz_keep(struct task_struct *task)
{
	tick_dep_set_task(task, DEPENDENCY);
}

/**
 * profil_nohz_keep_all() - make the threads of a profile depend on the tick
 * @profile: published, so that fork's hook sees the threads that come later
 *
 * Context: process.
 */
void profil_nohz_keep_all(const struct profil_profile *profile)
{
	struct task_struct *process, *thread;

	if (!tick_nohz_full_enabled())
		return;
	/* Hooks that are out would never undo it. */
	if (profil_hook_get(PROFIL_HOOKS, false))
		return;
	if (profile->task) {
		profil_nohz_keep(profile->task);
		goto out;
	}
	rcu_read_lock();
	for_each_process_thread(process, thread)
		if (READ_ONCE(thread->mm) == profile->mm)
			profil_nohz_keep(thread);
	rcu_read_unlock();
out:
	profil_hook_put(PROFIL_HOOKS);
}

/**
 * profil_nohz_release() - end the dependency of a thread without a profile
 * @task: current
 *
 * Context: hard interrupt, in an RCU read section.
 */
void profil_nohz_release(struct task_struct *task)
{
	struct profil_profile *profile;

	if (!tick_nohz_full_enabled() ||
	    !profil_compat_tick_dep(task, DEPENDENCY))
		return;
	tick_dep_clear_task(task, DEPENDENCY);
	/*
	 * A profile may have been published, and its dependency set, after the
	 * tick looked.  Pairs with the barrier between these two.
	 */
	smp_mb__after_atomic();
	profile = profil_profile_find_for(task, task->mm);
	if (profile && READ_ONCE(profile->nr_on) && !profile->layout->rate_hz)
		profil_nohz_keep(task);
}

/* The tick's hook is out.  Context: process. */
void profil_nohz_release_all(void)
{
	struct task_struct *process, *thread;

	if (!tick_nohz_full_enabled())
		return;
	rcu_read_lock();
	for_each_process_thread(process, thread)
		tick_dep_clear_task(thread, DEPENDENCY);
	rcu_read_unlock();
}
