/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream 48bcda684823: no tracepoint is for the idle loop any more. */
#undef MODULE
#include <linux/mm.h>
#include <trace/events/sched.h>

#ifdef PROBE_NEW
int trace_sched_process_fork_rcuidle;
#else
void *probe = trace_sched_process_fork_rcuidle;
#endif
