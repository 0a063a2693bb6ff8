// SPDX-License-Identifier: GPL-2.0-only
/*
 * One sample: which observer it is for, whether it may be counted, and where.
 */
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "observe/observe.h"
#include "profil.h"

#define PC_LOWEST	16	/* below, a pc in a node is something else */

/**
 * profil_sample_half() - the half of an observer that this CPU writes
 * @observer: of a follow that was found under RCU
 *
 * A CPU says that it writes before it looks which half that is, because SWAP
 * changes the half and then interrupts each CPU that has said so.
 *
 * Context: interrupts off.
 */
struct profil_half *profil_sample_half(struct profil_observer *observer)
{
	unsigned int cpu = smp_processor_id();

	lockdep_assert_irqs_disabled();
	if (!cpumask_test_cpu(cpu, &observer->written)) {
		cpumask_set_cpu(cpu, &observer->written);
		/* Pairs with the barrier in wait_for_writers(). */
		smp_mb();
	}
	return profil_table_half(&observer->table, cpu,
				 READ_ONCE(observer->active));
}

/*
 * A process that is not dumpable is private, except from an opener that may
 * ptrace everything in its user namespace.  In exit the mm is gone, and the
 * last look holds.
 */
static bool sample_may_read(struct profil_follow *follow,
			    struct task_struct *task)
{
	struct mm_struct *mm = task->mm;
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
	struct profil_table *table = &follow->observer->table;
	u32 nr = half->nr_nodes;
	struct profil_node *node;

	/* There is room for the pc's node as well, or for neither. */
	if (nr + 2 > table->map->nodes)
		return false;
	node = profil_table_find(table, half, *from,
				 profil_record_thread_number(task));
	if (half->nr_nodes > nr)
		profil_record_thread(follow, task, half, 0);
	*from = node - (struct profil_node *)((void *)half +
					      table->map->nodes_at);
	return true;
}

static bool sample_place(struct profil_follow *follow,
			 struct task_struct *task, struct profil_half *half,
			 u64 pc)
{
	struct profil_observer *observer = follow->observer;
	const struct profil_map *map = observer->table.map;
	u32 from = profil_record_image(follow, task, half);
	struct profil_node *node;

	if (!from)
		return false;
	from |= PROFIL_NODE_IMAGE;
	if (observer->flags & PROFIL_OBSERVE_F_THREADS &&
	    !sample_thread(follow, task, half, &from))
		return false;
	node = profil_table_find(&observer->table, half, from, pc);
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
	if (!sample_may_read(follow, task))
		half->refused++;
	else if (sample_place(follow, task, half, pc))
		half->counted++;
	else
		half->unplaced++;
}

/**
 * profil_sample_take() - count a sample for one of a process's observers
 * @task: the thread, which is on this CPU
 * @pc: its user pc
 * @kernel: the thread is in the kernel
 * @draw: a random number below profil_follow_rate(), which chooses the observer
 *
 * Context: interrupts off, inside an RCU read section.
 */
void profil_sample_take(struct task_struct *task, u64 pc, bool kernel, u32 draw)
{
	struct profil_follow *follow = NULL;

	pc &= ~PROFIL_NODE_KERNEL;
	if (pc < PC_LOWEST)
		pc = 0;
	if (kernel)
		pc |= PROFIL_NODE_KERNEL;
	while ((follow = profil_follow_next(task->signal, follow))) {
		if (draw < follow->observer->rate_hz) {
			if (!kernel || !(follow->observer->flags &
					 PROFIL_OBSERVE_F_USER_ONLY))
				sample_count(follow, task, pc);
			return;
		}
		draw -= follow->observer->rate_hz;
	}
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
		due = div_u64(ns * follow->observer->rate_hz +
			      ((u64)random * NSEC_PER_SEC >> 32), NSEC_PER_SEC);
		half = profil_sample_half(follow->observer);
		half->seen += due;
		half->lost += due;
	}
}
