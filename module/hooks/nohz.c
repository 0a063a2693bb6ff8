// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick of a CPU that would stop it: with nohz_full, a thread that runs
 * alone gets none unless it depends on it.
 *
 * Each thread that is counted is given a dependency of its own.  It ends at
 * the thread's next tick that has nothing to count, or with the hooks.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tick.h>

#include "profil.h"

/* Perf keeps its own by CPU, never by task: on a task this bit is ours. */
#define DEPENDENCY	TICK_DEP_BIT_PERF_EVENTS

/**
 * profil_nohz_keep() - a thread that is counted, or about to be
 * @task: the thread
 *
 * Context: any.
 */
void profil_nohz_keep(struct task_struct *task)
{
	tick_dep_set_task(task, DEPENDENCY);
}

/**
 * profil_nohz_keep_all() - the threads that a profile counts
 * @profile: published, so that threads not yet seen here are by fork's hook
 *
 * Context: process.
 */
void profil_nohz_keep_all(const struct profil_profile *profile)
{
	struct task_struct *process, *thread;

	if (!tick_nohz_full_enabled())
		return;
	/* If it has ended, hooks that are out would not take this back. */
	if (!profil_hook_get_live())
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
	profil_hook_put();
}

/* Context: any; two loads where there is no nohz_full. */
bool profil_nohz_is_kept(struct task_struct *task)
{
	return tick_nohz_full_enabled() &&
	       profil_compat_tick_dep(task, DEPENDENCY);
}

/**
 * profil_nohz_release() - a tick had nothing to count
 * @task: current
 *
 * Context: hard interrupt, in an RCU read section.
 */
void profil_nohz_release(struct task_struct *task)
{
	struct profil_profile *profile;

	tick_dep_clear_task(task, DEPENDENCY);
	/*
	 * A profile may have been published, and its dependency set, since the
	 * tick looked.  Pairs with the barriers of publishing and then setting.
	 */
	smp_mb__after_atomic();
	profile = profil_profile_find_for(task, task->mm);
	if (profile && READ_ONCE(profile->nr_on))
		profil_nohz_keep(task);
}

/* Nothing is counted any more.  Context: process. */
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
