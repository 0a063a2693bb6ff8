// SPDX-License-Identifier: GPL-2.0-only
/* The timers of all CPUs: they begin, tell what was lost, and stop. */
#include <linux/cpumask.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "observe/observe.h"
#include "observe/rate.h"
#include "profil.h"

/**
 * profil_rate_begin() - threads that are running are sampled
 * @signal: of a process that is followed from now on, or NULL
 * @mm: else what a profile with a rate counts from now on; processes may share it
 *
 * Context: process; interrupts the CPUs where its threads run or have run.
 */
void profil_rate_begin(const struct signal_struct *signal,
		       const struct mm_struct *mm)
{
	struct task_struct *process, *thread;
	cpumask_var_t cpus;

	/* Without memory the threads are sampled from their next switch on. */
	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return;
	rcu_read_lock();
	if (signal) {
		list_for_each_entry_rcu(thread, &signal->thread_head, thread_node)
			cpumask_set_cpu(task_cpu(thread), cpus);
	} else {
		for_each_process_thread(process, thread)
			if (READ_ONCE(thread->mm) == mm)
				cpumask_set_cpu(task_cpu(thread), cpus);
	}
	rcu_read_unlock();
	on_each_cpu_mask(cpus, profil_rate_begin_here, NULL, true);
	free_cpumask_var(cpus);
}

static bool timer_waits(unsigned int cpu)
{
	const struct profil_rate *rate = &per_cpu(profil_rates, cpu);

	return READ_ONCE(rate->armed) && READ_ONCE(rate->lost_from);
}

static void tell_here(void *unused)
{
	profil_rate_tell();
}

/**
 * profil_rate_tell_all() - count what running threads have lost so far
 *
 * The caller is about to change what samples threads, or to read books.
 *
 * Context: process; interrupts the CPUs where a timer waits.
 */
void profil_rate_tell_all(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (timer_waits(cpu))
			smp_call_function_single(cpu, tell_here, NULL, true);
}

/* Context: process; no probe of sched_switch is in. */
void profil_rate_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		hrtimer_cancel(&per_cpu(profil_rates, cpu).timer);
		per_cpu(profil_rates, cpu).armed = false;
	}
}
