// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timers of all CPUs: how often they may fire, and that they begin, tell what
 * was lost, and stop.
 */
#include <linux/capability.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/user_namespace.h>

#include "observe/observe.h"
#include "observe/rate.h"
#include "profil.h"

/* The highest rate that the caller may have.  Context: process. */
u32 profil_rate_max(void)
{
	if (hrtimer_resolution > 1)
		return HZ;
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN) ?
	       PROFIL_RATE_MAX_ROOT : PROFIL_RATE_MAX;
}

/* Context: process.  Return: 0, -EPERM or -EOPNOTSUPP. */
int profil_rate_check(u32 rate_hz)
{
	if (rate_hz <= profil_rate_max())
		return 0;
	return hrtimer_resolution > 1 ? -EOPNOTSUPP : -EPERM;
}

/* A thread that sleeps has no CPU to be interrupted. */
static void set_cpu_of(const struct task_struct *thread, struct cpumask *cpus)
{
	if (READ_ONCE(thread->on_rq))
		cpumask_set_cpu(task_cpu(thread), cpus);
}

/**
 * profil_rate_begin() - threads that are running are sampled
 * @signal: of a process that is followed from now on, or NULL
 * @mm: else what a profile with a rate counts from now on; processes may share it
 *
 * Context: process; interrupts the CPUs where its threads run or are about to.
 */
void profil_rate_begin(const struct signal_struct *signal,
		       const struct mm_struct *mm)
{
	struct task_struct *process, *thread;
	cpumask_var_t cpus;

	/* Without memory the threads are sampled from their next switch on. */
	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return;
	/* Pairs with that in schedule(): a thread that wakes up later is seen there. */
	smp_mb();
	rcu_read_lock();
	if (signal) {
		list_for_each_entry_rcu(thread, &signal->thread_head, thread_node)
			set_cpu_of(thread, cpus);
	} else {
		for_each_process_thread(process, thread)
			if (READ_ONCE(thread->mm) == mm)
				set_cpu_of(thread, cpus);
	}
	rcu_read_unlock();
	on_each_cpu_mask(cpus, profil_rate_begin_here, NULL, true);
	free_cpumask_var(cpus);
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
	const struct profil_rate *rate;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		rate = &per_cpu(profil_rates, cpu);
		if (READ_ONCE(rate->armed) && READ_ONCE(rate->lost_from))
			smp_call_function_single(cpu, profil_rate_tell, NULL,
						 true);
	}
}

/*
 * A timer that was set when its CPU went offline lapses on another.  Until then
 * the CPU, if it is back, would take it for its own.
 *
 * Context: process, on that CPU, where no user's thread may run yet; or on any,
 * and no probe of sched_switch is in.
 */
static int rate_cpu_clear(unsigned int cpu)
{
	struct profil_rate *rate = &per_cpu(profil_rates, cpu);

	hrtimer_cancel(&rate->timer);
	rate->armed = false;
	return 0;
}

/* Context: process; no probe of sched_switch is in. */
void profil_rate_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		rate_cpu_clear(cpu);
}

static enum cpuhp_state rate_cpu_state;

/* Context: module init.  Return: 0 or an errno. */
int profil_rate_cpus_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					      "profil:rate", rate_cpu_clear,
					      NULL);

	if (state < 0)
		return state;
	rate_cpu_state = state;
	return 0;
}

/* Context: module exit. */
void profil_rate_cpus_exit(void)
{
	cpuhp_remove_state_nocalls(rate_cpu_state);
}
