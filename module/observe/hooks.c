// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints of observers.  A profile with a rate needs the switch alone, but
 * that is not worth hooks of its own.
 */
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "observe/observe.h"
#include "profil.h"

static struct profil_probe probes[] = {
	{ "sched_process_fork", profil_follow_fork },
	{ "sched_process_exec", profil_follow_exec },
	{ "sched_process_exit", profil_follow_exit },
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

/* Context: module init.  Return: 0 or an errno. */
int profil_observe_init(void)
{
	/* The table has no types; these are errors if one is wrong. */
	check_trace_callback_type_sched_process_fork(profil_follow_fork);
	check_trace_callback_type_sched_process_exec(profil_follow_exec);
	check_trace_callback_type_sched_process_exit(profil_follow_exit);
	check_trace_callback_type_sched_switch(profil_rate_switch);
	profil_rate_init();
	profil_join_init();
	return profil_rate_cpus_init();
}

/* Context: module exit. */
void profil_observe_exit(void)
{
	profil_rate_cpus_exit();
}
