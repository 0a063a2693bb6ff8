// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints of observers: in with the first observer, out a second after
 * the last.
 */
#include <linux/binfmts.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "observe/observe.h"
#include "profil.h"

#define DISARM_DELAY	HZ

static DEFINE_MUTEX(observe_hooks_mutex);	/* uses, armed */
static unsigned int uses;
static bool armed;

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
int profil_observe_hooks_get(void)
{
	int ret = 0;

	if (mutex_lock_killable(&observe_hooks_mutex))
		return -EINTR;
	if (!armed)
		ret = profil_probes_add(probes, ARRAY_SIZE(probes));
	if (!ret) {
		armed = true;
		uses++;
	}
	mutex_unlock(&observe_hooks_mutex);
	return ret;
}

static void disarm_if_unused(struct work_struct *work)
{
	mutex_lock(&observe_hooks_mutex);
	if (armed && !uses) {
		profil_probes_remove(probes, ARRAY_SIZE(probes));
		profil_rate_stop();
		armed = false;
	}
	mutex_unlock(&observe_hooks_mutex);
}

static DECLARE_DELAYED_WORK(disarm_work, disarm_if_unused);

/* Context: process; sleeps. */
void profil_observe_hooks_put(void)
{
	mutex_lock(&observe_hooks_mutex);
	if (!--uses)
		mod_delayed_work(profil_wq, &disarm_work, DISARM_DELAY);
	mutex_unlock(&observe_hooks_mutex);
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

/* Observers that are closed may still wait for a grace period. */
void profil_observe_exit(void)
{
	flush_delayed_work(&disarm_work);
	rcu_barrier();
}
