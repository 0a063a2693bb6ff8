// SPDX-License-Identifier: GPL-2.0-only
/*
 * When samples are taken: a timer on each CPU that runs a followed thread.
 *
 * The gaps are exponentially distributed.  That distribution has no memory: a
 * timer that is set at the context switch, left to lapse in another thread's
 * time, or set anew, is fair to every nanosecond.
 *
 *	sched_switch	a followed thread comes on: set the timer, if it is not
 *			one goes off, and the timer is overdue: take the sample
 *	timer		a followed thread: take what is due, set it again
 *			another thread: lapse
 */
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <asm/irq_regs.h>

#include "observe/observe.h"
#include "profil.h"

#define TOGETHER_NS	4000		/* due so soon: in the same interrupt */
#define STOOD_STILL_NS	(2 * NSEC_PER_MSEC)
#define BUSY_SHARE	4		/* idle time for the time of a sample */

/*
 * ln 2 - ln(1 + x) in units of 2^-16, for x in 64 steps from 0 to 1: each the
 * mean over its step, so that the mean of all gaps is exact.
 */
static const u16 log_table[64] = {
	44917, 43908, 42915, 41937, 40973, 40024, 39087, 38164,
	37254, 36356, 35471, 34597, 33734, 32883, 32043, 31213,
	30394, 29585, 28786, 27996, 27216, 26445, 25683, 24930,
	24185, 23449, 22720, 22000, 21288, 20583, 19886, 19196,
	18513, 17838, 17169, 16507, 15852, 15203, 14560, 13924,
	13294, 12670, 12051, 11439, 10832, 10231,  9635,  9045,
	 8459,  7879,  7305,  6735,  6170,  5610,  5054,  4503,
	 3957,  3416,  2878,  2346,  1817,  1293,   773,   257,
};

#define LN_2	45426			/* likewise */

/* A CPU's timer.  Used by its CPU alone, with interrupts off. */
struct profil_rate {
	struct hrtimer timer;
	u64 seed;
	u32 rate_hz;		/* that the gap was drawn for */
	bool armed;
};

static DEFINE_PER_CPU(struct profil_rate, rates);

static u64 rate_random(struct profil_rate *rate)
{
	rate->seed ^= rate->seed << 13;
	rate->seed ^= rate->seed >> 7;
	rate->seed ^= rate->seed << 17;
	return rate->seed;
}

/* -ln of a random number, times the mean gap. */
static u64 rate_gap_ns(struct profil_rate *rate)
{
	u64 mean_ns = NSEC_PER_SEC / rate->rate_hz;
	u64 log = __builtin_clzll(rate_random(rate) | 1) * LN_2;

	return (log + log_table[rate_random(rate) >> 58]) * mean_ns >> 16;
}

/* Sets the timer for a thread that is or comes on this CPU. */
static noinline void rate_begin(struct profil_rate *rate,
				const struct signal_struct *signal)
{
	u32 rate_hz;

	rcu_read_lock();
	rate_hz = profil_follow_rate(signal);
	rcu_read_unlock();
	if (!rate_hz || (rate->armed && rate->rate_hz == rate_hz))
		return;
	rate->rate_hz = rate_hz;
	rate->armed = true;
	hrtimer_start(&rate->timer, ktime_get() + rate_gap_ns(rate),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

static void rate_sample(struct profil_rate *rate, struct task_struct *task,
			struct pt_regs *regs)
{
	bool kernel = !regs || !user_mode(regs);
	u32 draw = (rate_random(rate) >> 32) * rate->rate_hz >> 32;

	/* In the kernel, the pc is where the thread entered it. */
	if (kernel)
		regs = task_pt_regs(task);
	profil_sample_take(task, instruction_pointer(regs), kernel, draw);
}

/* Samples take a fifth of a CPU's time at most.  What is due in it is lost. */
static ktime_t rate_throttle(struct profil_rate *rate, struct task_struct *task,
			     ktime_t begin, ktime_t due)
{
	ktime_t now = ktime_get();
	ktime_t earliest = now + BUSY_SHARE * (now - begin);

	if (likely(due >= earliest))
		return due;
	profil_sample_lost(task, earliest - due + NSEC_PER_SEC / rate->rate_hz,
			   rate_random(rate) >> 32);
	return earliest + rate_gap_ns(rate);
}

/*
 * Takes what is due, and returns when the next sample is; 0 if the process is
 * not followed.  A timer that is late costs nothing, because the next gap
 * begins where the last one ended.
 */
static ktime_t rate_take_due(struct profil_rate *rate, struct task_struct *task,
			     struct pt_regs *regs)
{
	u32 rate_hz = profil_follow_rate(task->signal);
	ktime_t due = hrtimer_get_expires(&rate->timer);
	ktime_t now = ktime_get();
	s64 late = now - due;

	if (!rate_hz)
		return 0;
	rate->rate_hz = rate_hz;
	if (late > STOOD_STILL_NS) {
		profil_sample_lost(task, late, rate_random(rate) >> 32);
		due = now;
	}
	do {
		rate_sample(rate, task, regs);
		due += rate_gap_ns(rate);
	} while (due - now < TOGETHER_NS);
	return rate_throttle(rate, task, now, due);
}

/* Context: hard interrupt. */
static enum hrtimer_restart rate_timer(struct hrtimer *timer)
{
	struct profil_rate *rate = container_of(timer, struct profil_rate,
						timer);
	ktime_t due = 0;

	rcu_read_lock();
	/* A CPU that goes offline leaves its timer to another. */
	if (rate == this_cpu_ptr(&rates) && profil_follow_may(current->signal))
		due = rate_take_due(rate, current, get_irq_regs());
	rcu_read_unlock();
	rate->armed = due;
	if (!due)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, due);
	return HRTIMER_RESTART;
}

/*
 * A followed thread leaves, and its sample is overdue: it may not come back.
 * A timer that ran out in another thread's time is no sample of the next.
 */
static noinline void rate_switch_from(struct profil_rate *rate,
				      struct task_struct *task)
{
	ktime_t due = 0;

	if (ktime_get() < hrtimer_get_expires(&rate->timer))
		return;
	rcu_read_lock();
	if (profil_follow_may(task->signal))
		due = rate_take_due(rate, task, NULL);
	rcu_read_unlock();
	if (due)
		hrtimer_start(&rate->timer, due, HRTIMER_MODE_ABS_PINNED_HARD);
	else
		rate->rate_hz = 0;
}

/* Context: tracepoint in schedule(), under the run queue's lock. */
PROFIL_SWITCH_PROBE(profil_rate_switch)
{
	struct profil_rate *rate = this_cpu_ptr(&rates);

	if (unlikely(rate->armed))
		rate_switch_from(rate, prev);
	if (unlikely(profil_follow_may(next->signal)))
		rate_begin(rate, next->signal);
}

/* Context: interrupts off. */
static void rate_begin_here(void *signal)
{
	if (current->signal == signal)
		rate_begin(this_cpu_ptr(&rates), signal);
}

/**
 * profil_rate_begin() - threads of a process that are running are sampled
 * @signal: of a process that is followed from now on
 *
 * Context: process; interrupts the CPUs where its threads run or have run.
 */
void profil_rate_begin(struct signal_struct *signal)
{
	struct task_struct *task;
	cpumask_var_t cpus;

	/* Without memory its threads are sampled from their next switch on. */
	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(task, &signal->thread_head, thread_node)
		cpumask_set_cpu(task_cpu(task), cpus);
	rcu_read_unlock();
	on_each_cpu_mask(cpus, rate_begin_here, signal, true);
	free_cpumask_var(cpus);
}

/* Context: process; no probe of sched_switch is in. */
void profil_rate_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		hrtimer_cancel(&per_cpu(rates, cpu).timer);
		per_cpu(rates, cpu).armed = false;
	}
}

/* Context: module init. */
void profil_rate_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct profil_rate *rate = &per_cpu(rates, cpu);

		hrtimer_setup(&rate->timer, rate_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
		get_random_bytes(&rate->seed, sizeof(rate->seed));
		rate->seed |= 1;
	}
}
