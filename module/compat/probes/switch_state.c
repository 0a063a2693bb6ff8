/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream 9c2136be0878: sched_switch tells the state of the thread that goes. */
#include <trace/events/sched.h>

#ifdef PROBE_NEW
void probe(void *data, bool preempt, struct task_struct *prev,
	   struct task_struct *next, unsigned int prev_state);
#else
void probe(void *data, bool preempt, struct task_struct *prev,
	   struct task_struct *next);
#endif

void check(void)
{
	check_trace_callback_type_sched_switch(probe);
}
