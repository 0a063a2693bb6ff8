/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream "exit: move and extend sched_process_exit() tracepoint" */
#include <trace/events/sched.h>

#ifdef PROBE_NEW
void probe(void *data, struct task_struct *task, bool group_dead);
#else
void probe(void *data, struct task_struct *task);
#endif

void check(void)
{
	check_trace_callback_type_sched_process_exit(probe);
}
