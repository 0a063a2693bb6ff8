// SPDX-License-Identifier: GPL-2.0-only
/*
 * One sample: which observer it is for, whether it may be counted, and where.
 */
#include <linux/sched/signal.h>

#include "observe/observe.h"
#include "profil.h"

#define PC_LOWEST	16	/* below, a pc in a node is something else */

/**
 * profil_sample_may_read() - may the observer see what a thread does?
 * @follow: of its process
 * @task: the thread
 * @mm: its address space, or NULL
 *
 * A process that is not dumpable is private, except from an opener that may
 * ptrace everything in its user namespace.  In exit the mm is gone, and the
 * last look holds: so JOIN, fork and exec look as well.
 *
 * Context: inside an RCU read section.
 */
bool profil_sample_may_read(struct profil_follow *follow,
			    struct task_struct *task, struct mm_struct *mm)
{
	const struct user_namespace *ns;
	bool may;

	if (!mm)
		return READ_ONCE(follow->may_read);
	may = profil_compat_is_dumpable(task, mm);
	for (ns = may ? NULL : profil_compat_user_ns(task, mm); ns;
	     ns = ns->parent)
		may |= ns == follow->observer->cred->user_ns &&
		       follow->observer->may_ptrace;
	if (follow->may_read != may)
		WRITE_ONCE(follow->may_read, may);
	return may;
}

/* With F_THREADS a node of the thread stands between image and pc. */
static bool sample_thread(struct profil_follow *follow,
			  struct task_struct *task, struct profil_half *half,
			  u32 *from)
{
	const struct profil_table *table = &follow->observer->table;
	struct profil_nodes nodes = profil_table_nodes(table, half);
	u32 nr = half->nr_nodes;
	struct profil_node *node;

	/* A new one leaves room for the pc's node. */
	node = profil_nodes_find(&nodes, *from,
				 profil_record_thread_number(follow, task),
				 table->map->nodes - 1);
	if (!node)
		return false;
	if (half->nr_nodes > nr)
		profil_record_thread(follow, task, half, 0);
	*from = node - nodes.node;
	return true;
}

static struct profil_node *
sample_find_below(struct profil_follow *follow, struct task_struct *task,
		  struct profil_half *half, u32 from, u64 pc)
{
	const struct profil_maps *maps = rcu_dereference_sched(follow->maps);
	struct profil_observer *observer = follow->observer;
	struct profil_nodes nodes = profil_table_nodes(&observer->table, half);

	if (observer->flags & PROFIL_OBSERVE_F_THREADS &&
	    !sample_thread(follow, task, half, &from))
		return NULL;
	if (maps)
		return profil_path_find(observer, maps, task, half, from, pc);
	return profil_nodes_find(&nodes, from, pc, observer->table.map->nodes);
}

static bool sample_place(struct profil_follow *follow,
			 struct task_struct *task, struct profil_half *half,
			 u64 pc)
{
	struct profil_observer *observer = follow->observer;
	const struct profil_map *map = observer->table.map;
	struct profil_nodes nodes = profil_table_nodes(&observer->table, half);
	u32 from = READ_ONCE(follow->image);
	struct profil_node *node;

	if (unlikely(!from))
		from = profil_record_image(follow, half);
	if (!from)
		return false;
	from |= PROFIL_NODE_IMAGE;
	if (observer->flags & (PROFIL_OBSERVE_F_THREADS | PROFIL_OBSERVE_PATHS))
		node = sample_find_below(follow, task, half, from, pc);
	else
		node = profil_nodes_find(&nodes, from, pc, map->nodes);
	if (!node)
		return false;
	node->count++;
	if (half->nr_nodes >= map->nodes / 2 && !READ_ONCE(observer->poke))
		irq_work_queue(&observer->wake);
	return true;
}

static void sample_count(struct profil_follow *follow,
			 struct task_struct *task, u64 pc)
{
	struct profil_half *half = profil_sample_half(follow->observer);

	half->seen++;
	if (!profil_sample_may_read(follow, task, task->mm))
		half->refused++;
	else if (sample_place(follow, task, half, pc))
		half->counted++;
	else
		half->unplaced++;
}

/**
 * profil_sample_take() - count a sample for one of a process's observers
 * @follow: the first of the process, or NULL
 * @task: the thread, which is on this CPU
 * @pc: its user pc
 * @kernel: the thread is in the kernel
 * @draw: a random number below the sum of their rates, which chooses the observer
 *
 * Context: interrupts off, inside an RCU read section.
 */
void profil_sample_take(struct profil_follow *follow, struct task_struct *task,
			u64 pc, bool kernel, u32 draw)
{
	pc &= ~PROFIL_NODE_KERNEL;
	if (pc < PC_LOWEST)
		pc = 0;
	if (kernel)
		pc |= PROFIL_NODE_KERNEL;
	for (; follow; follow = profil_follow_next(task->signal, follow)) {
		if (likely(draw < follow->observer->rate_hz)) {
			if (!kernel || !(follow->observer->flags &
					 PROFIL_OBSERVE_F_USER_ONLY))
				sample_count(follow, task, pc);
			return;
		}
		draw -= follow->observer->rate_hz;
	}
}

/* How many samples are due in some time, rounded by a random number. */
u64 profil_sample_due(u64 ns, u32 rate_hz, u32 random)
{
	u32 rest;
	u64 seconds = div_u64_rem(ns, NSEC_PER_SEC, &rest);

	return seconds * rate_hz +
	       div_u64((u64)rest * rate_hz + ((u64)random * NSEC_PER_SEC >> 32),
		       NSEC_PER_SEC);
}

/**
 * profil_sample_lost() - samples that were due while a sample could not be taken
 * @task: the thread that was on this CPU
 * @ns: for how long
 * @random: rounds their number
 *
 * Context: interrupts off, inside an RCU read section.
 */
void profil_sample_lost(struct task_struct *task, u64 ns, u32 random)
{
	struct profil_follow *follow = NULL;
	struct profil_half *half;
	u64 due;

	while ((follow = profil_follow_next(task->signal, follow))) {
		due = profil_sample_due(ns, follow->observer->rate_hz, random);
		half = profil_sample_half(follow->observer);
		half->seen += due;
		half->lost += due;
	}
}
