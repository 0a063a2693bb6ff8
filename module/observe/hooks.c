// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints of observers.  A profile with a rate needs the switch alone, but
 * that is not worth hooks of its own.
 */
#include <linux/binfmts.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "observe/observe.h"
#include "profil.h"

static void observe_fork(void *data, struct task_struct *parent,
			 struct task_struct *child)
{
	profil_follow_fork(parent, child);
}

PROFIL_EXIT_PROBE(observe_exit)
{
	profil_follow_exit(task);
}

static void observe_exec(void *data, struct task_struct *task, pid_t old_pid,
			 struct linux_binprm *bprm)
{
	profil_follow_exec(task, bprm);
}

static struct profil_probe probes[] = {
	{ "sched_process_fork", observe_fork },
	{ "sched_process_exec", observe_exec },
	{ "sched_process_exit", observe_exit },
	{ "sched_switch", profil_rate_switch },
};

/* Context: process; sleeps. */
int profil_observe_arm(void)
{
	return profil_probes_add(probes, ARRAY_SIZE(probes));
}

/* On return no CPU is in a probe or in a timer.  Context: process; sleeps. */
int profil_observe_disarm(void)
{
	profil_probes_remove(probes, ARRAY_SIZE(probes));
	profil_rate_stop();
	return 0;
}

int profil_observe_init(void)
{
	/* The table has no types; these are errors if one is wrong. */
	check_trace_callback_type_sched_process_fork(observe_fork);
	check_trace_callback_type_sched_process_exec(observe_exec);
	check_trace_callback_type_sched_process_exit(observe_exit);
	check_trace_callback_type_sched_switch(profil_rate_switch);
	profil_rate_init();
	profil_join_init();
	return profil_probes_find(probes, ARRAY_SIZE(probes));
}
