/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a task may be dumped stands in task->exec_state, and not in its mm. */
#include <linux/sched.h>
#include <linux/sched/coredump.h>

#ifdef PROBE_NEW
#include <linux/sched/exec_state.h>
int probe(struct task_exec_state *state)
{
	return state->dumpable == TASK_DUMPABLE_OWNER;
}
#else
int probe(struct mm_struct *mm)
{
	return get_dumpable(mm) == SUID_DUMP_USER;
}
#endif
