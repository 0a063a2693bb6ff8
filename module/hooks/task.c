// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks of fork, exec and exit: tracepoints.
 *
 * A forked child gets a profile and a dump of its own before its first tick.
 * The profile of a thread ends with that thread, or at its exec.  A dump is
 * written at the exit of the process, and dropped at its exec.
 */
#include <linux/binfmts.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "dump/dump.h"
#include "hooks/hooks.h"
#include "profil.h"

static void task_fork_probe(void *data, struct task_struct *parent,
			    struct task_struct *child)
{
	struct profil_profile *profile;

	if (!child->mm)
		return;
	/* With CLONE_VM the child counts in its parent's profile. */
	if (child->mm != parent->mm) {
		profil_profile_inherit(parent->mm, child);
		profil_profile_inherit(parent, child);
		profil_dump_at_fork(parent, child);
	}
	rcu_read_lock();
	profile = profil_profile_find_for(child, child->mm);
	if (profile && !profile->layout->rate_hz)
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

static PROFIL_EXIT_PROBE(task_exit_probe)
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

static struct profil_probe probes[] = {
	{ "sched_process_fork", task_fork_probe },
	{ "sched_process_exit", task_exit_probe },
	{ "sched_process_exec", task_exec_probe },
};

/* On return no CPU is in a probe.  Context: process; sleeps. */
int profil_task_disarm(void)
{
	profil_probes_remove(probes, ARRAY_SIZE(probes));
	/* The tick is out already, and fork gives no thread a dependency now. */
	profil_nohz_release_all();
	return 0;
}

/* Context: process; sleeps. */
int profil_task_arm(void)
{
	/* The table has no types; these are errors if one is wrong. */
	check_trace_callback_type_sched_process_fork(task_fork_probe);
	check_trace_callback_type_sched_process_exit(task_exit_probe);
	check_trace_callback_type_sched_process_exec(task_exec_probe);

	return profil_probes_add(probes, ARRAY_SIZE(probes));
}
