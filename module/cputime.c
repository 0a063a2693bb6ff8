// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU time of a thread and of a process, as exact as the kernel can tell it.
 */
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>

#include "delay.h"
#include "profil.h"

/*
 * Such kernels run exec_start by a clock of their own, which leaves out the time of
 * interrupts or of a hypervisor.  No module can read that clock.
 */
static const bool has_other_clock = IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING) ||
				    IS_ENABLED(CONFIG_PARAVIRT_TIME_ACCOUNTING);

/**
 * profil_cputime_thread() - CPU time of a thread
 * @task: the thread; alive, or its end not yet over
 *
 * sum_exec_runtime grows at ticks and switches, and a short program may end before
 * its first tick.  So the time since then is added for the calling thread.
 *
 * Context: any.
 * Return: nanoseconds since it began.
 */
u64 profil_cputime_thread(const struct task_struct *task)
{
	const struct sched_entity *se = &task->se;
	u64 sum = READ_ONCE(se->sum_exec_runtime);
	u64 begin, before;
	s64 since;

	if (task != current || has_other_clock)
		return sum;
	/* The clock of another CPU differs. */
	preempt_disable();
	do {
		before = sum;
		begin = READ_ONCE(se->exec_start);
		profil_delay();
		since = local_clock() - begin;
		/* A tick, or another CPU's wakeup, may move both meanwhile. */
		sum = READ_ONCE(se->sum_exec_runtime);
	} while (sum != before);
	preempt_enable();
	return sum + max_t(s64, since, 0);
}

static u64 cputime_sum_threads(const struct signal_struct *signal)
{
	u64 sum = signal->sum_sched_runtime;
	struct task_struct *task;

	list_for_each_entry_rcu(task, &signal->thread_head, thread_node)
		sum += profil_cputime_thread(task);
	return sum;
}

/**
 * profil_cputime_process() - CPU time of a process
 * @signal: the process's
 *
 * The time of the calling thread is exact.  Each other running thread lacks the
 * time since its last tick.
 *
 * Context: inside an RCU read section; not under a raw spinlock, because the
 * kernel's lock may sleep with RT.
 * Return: nanoseconds since it began.
 */
u64 profil_cputime_process(struct signal_struct *signal)
{
	unsigned int seq = read_seqbegin(&signal->stats_lock);
	u64 sum = cputime_sum_threads(signal);
	unsigned long flags;

	/* A thread that exits goes from the list into the sum. */
	if (read_seqretry(&signal->stats_lock, seq)) {
		/* Many threads may exit all the time: this keeps them from it. */
		read_seqlock_excl_irqsave(&signal->stats_lock, flags);
		sum = cputime_sum_threads(signal);
		read_sequnlock_excl_irqrestore(&signal->stats_lock, flags);
	}
	return sum;
}
