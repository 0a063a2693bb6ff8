// SPDX-License-Identifier: GPL-2.0-only
/*
 * When samples are taken: a timer on each CPU that runs a sampled thread, which
 * is one of a followed process or of a profile with a rate.
 *
 * The gaps are exponentially distributed.  That distribution has no memory: a
 * timer that is set at the context switch, left to lapse in another thread's
 * time, or set anew, is fair to every nanosecond.
 *
 *	sched_switch	a sampled thread comes on: set the timer, if it is not
 *			one goes off, and the timer is overdue: take the sample
 *	timer		a sampled thread: take what is due, set it again
 *			another thread: lapse
 *
 * One timer serves all observers of a process, and its profile.  It runs at the
 * sum of their rates, and a draw says which of them has the sample.
 *
 * Interrupts are off in the timer and in the switch.  That is an RCU read section
 * too, so neither enters another.
 */
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <asm/irq_regs.h>

#include "observe/gap.h"
#include "observe/observe.h"
#include "observe/rate.h"
#include "profile/rated.h"
#include "profil.h"

#define TOGETHER_NS	4000		/* due so soon: in the same interrupt */
#define STOOD_STILL_NS	(2 * NSEC_PER_MSEC)
#define BUSY_SHARE	5		/* of a CPU's time, one part is for samples */
#define INTERRUPT_NS	1000		/* of an interrupt, beside its samples */
#define BURST_NS	NSEC_PER_MSEC	/* samples may be so far ahead of it */
#define SLOW_NS		NSEC_PER_MSEC	/* a longer sample counts as so long */
#define QUICK_SHARE	16		/* quick: so much less than a mean gap */
#define QUICK_SAMPLES	15		/* after a quick one, not measured */

DEFINE_PER_CPU(struct profil_rate, profil_rates);

static void rate_set(struct profil_rate *rate, u32 rate_hz)
{
	if (rate->rate_hz == rate_hz)
		return;
	rate->rate_hz = rate_hz;
	rate->mean_ns = NSEC_PER_SEC / rate_hz;
}

static u64 rate_gap_ns(struct profil_rate *rate)
{
	return profil_gap_ns(rate->mean_ns, profil_gap_random(&rate->seed));
}

/* False for nearly all threads that are not sampled. */
static __always_inline bool rate_may(const struct task_struct *task)
{
	return profil_follow_may(task->signal) || profil_rated_may(task);
}

/* What samples a thread, and how often all of it does together. */
struct rate_sources {
	struct profil_follow *follow;	/* the first, or NULL */
	struct profil_profile *profile;
	u32 own_hz;			/* the profile's */
	u32 rate_hz;
};

static __always_inline struct rate_sources rate_sources_of(struct task_struct *task)
{
	const struct signal_struct *signal = task->signal;
	struct rate_sources of = {
		.follow = profil_follow_next(signal, NULL),
		.profile = profil_rated_find(task),
	};
	struct profil_follow *follow;

	if (of.profile)
		of.own_hz = of.profile->layout->rate_hz;
	of.rate_hz = of.own_hz;
	for (follow = of.follow; follow;
	     follow = profil_follow_next(signal, follow))
		of.rate_hz += follow->observer->rate_hz;
	return of;
}

/* The bit of a thread's user. */
static noinline u8 rate_user(const struct task_struct *task)
{
	u8 user;

	rcu_read_lock();
	user = profil_payer_hash(__task_cred(task));
	rcu_read_unlock();
	return user;
}

/*
 * Sets the timer for a thread that is or comes on this CPU.  While the CPU has
 * debtors, a timer that was set for one thread is not left to another.
 */
static void rate_begin(struct profil_rate *rate, struct task_struct *task,
		       ktime_t now)
{
	u32 rate_hz = rate_sources_of(task).rate_hz;
	bool owed = rate->earliest > now;

	if (!rate_hz || (rate->armed && rate->rate_hz == rate_hz && !owed))
		return;
	rate_set(rate, rate_hz);
	rate->armed = true;
	rate->lost_from = 0;
	if (unlikely(owed) && test_bit(rate_user(task), rate->debtors)) {
		rate->lost_from = now;
		now = rate->earliest;
	}
	hrtimer_start(&rate->timer, now + rate_gap_ns(rate),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * The draw is below the rate that the gap was drawn for.  What ended meanwhile
 * leaves its share of the samples to no other.
 */
static __always_inline void rate_sample(const struct rate_sources *of,
					struct task_struct *task, u32 draw,
					struct pt_regs *regs)
{
	bool here = regs;
	bool kernel = !here || !user_mode(regs);

	/* In the kernel, the pc is where the thread entered it. */
	if (kernel)
		regs = task_pt_regs(task);
	if (draw < of->own_hz)
		profil_rated_take(of->profile, task, instruction_pointer(regs),
				  !kernel, here);
	else
		profil_sample_take(of->follow, task, instruction_pointer(regs),
				   kernel, draw - of->own_hz);
}

static void rate_lost(struct profil_rate *rate, struct task_struct *task,
		      struct profil_profile *profile, u64 ns)
{
	u32 random = profil_gap_random(&rate->seed) >> 32;

	profil_sample_lost(task, ns, random);
	if (profile)
		atomic64_add(profil_sample_due(ns, profile->layout->rate_hz,
					       random), &profile->missed);
}

/* Counts what a thread has lost while the timer waited, until it leaves or now. */
static noinline void rate_tell_lost(struct profil_rate *rate,
				    struct task_struct *task, ktime_t now)
{
	ktime_t until = min(now, rate->earliest);

	if (until > rate->lost_from)
		rate_lost(rate, task, profil_rated_find(task),
			  until - rate->lost_from);
	rate->lost_from = now >= rate->earliest ? 0 :
			  max(now, rate->lost_from);
}

/* More than the share is taken: the time of the next sample. */
static noinline ktime_t rate_wait(struct profil_rate *rate,
				  struct task_struct *task, ktime_t begin,
				  ktime_t due, bool quick)
{
	u8 user = rate_user(task);

	if (!quick)
		__set_bit(user, rate->debtors);
	if (!test_bit(user, rate->debtors))
		return due;
	rate->lost_from = begin + TOGETHER_NS;
	return rate->earliest + rate_gap_ns(rate);
}

/*
 * Slow samples take at most a fifth of a CPU's time.  When they have taken more,
 * the timer waits for threads of those users that had slow ones, the debtors, and
 * the samples due meanwhile are lost.  A burst is allowed, so that one slow sample
 * loses no other.  Quick samples take little of a CPU's time anyway, and to measure
 * one costs more than to count it.  So after a quick one the next are not measured,
 * but for one that finds a long path.
 */
static ktime_t rate_throttle(struct profil_rate *rate, struct task_struct *task,
			     ktime_t begin, ktime_t due)
{
	ktime_t took;
	bool quick;

	if (likely(rate->unmeasured)) {
		rate->unmeasured--;
		return due;
	}
	if (unlikely(rate->lost_from))
		rate_tell_lost(rate, task, begin);
	if (likely(rate->earliest <= begin))
		bitmap_zero(rate->debtors, PROFIL_PAYERS);
	took = min_t(ktime_t, ktime_get() - begin, SLOW_NS);
	quick = took * QUICK_SHARE < rate->mean_ns;
	rate->earliest = max_t(ktime_t, rate->earliest, begin - BURST_NS) +
			 BUSY_SHARE * (took + INTERRUPT_NS);
	if (quick)
		rate->unmeasured = QUICK_SAMPLES;
	if (likely(rate->earliest <= begin + TOGETHER_NS))
		return due;
	return rate_wait(rate, task, begin, due, quick);
}

/*
 * Takes what is due, and returns when the next sample is; 0 if the thread is
 * not sampled.  A timer that is late costs nothing, because the next gap
 * begins where the last one ended.
 */
static __always_inline ktime_t rate_take_due(struct profil_rate *rate,
					     struct task_struct *task,
					     struct pt_regs *regs)
{
	struct rate_sources of = rate_sources_of(task);
	ktime_t due = hrtimer_get_expires(&rate->timer);
	ktime_t now;
	u64 random;

	if (!of.rate_hz)
		return 0;
	now = ktime_get();
	if (unlikely(now - due > STOOD_STILL_NS)) {
		rate_lost(rate, task, of.profile, now - due);
		due = now;
	}
	do {
		/* The lower half says of which rate, the upper one when next. */
		random = profil_gap_random(&rate->seed);
		rate_sample(&of, task,
			    (u64)(u32)random * rate->rate_hz >> 32, regs);
		rate_set(rate, of.rate_hz);
		due += profil_gap_ns(rate->mean_ns, random);
	} while (due - now < TOGETHER_NS);
	return rate_throttle(rate, task, now, due);
}

/* Context: hard interrupt. */
static enum hrtimer_restart rate_timer(struct hrtimer *timer)
{
	struct profil_rate *rate = container_of(timer, struct profil_rate,
						timer);
	ktime_t due = 0;

	/* A CPU that goes offline leaves its timer to another. */
	if (likely(rate == this_cpu_ptr(&profil_rates)))
		due = rate_take_due(rate, current, get_irq_regs());
	rate->armed = due;
	if (!due)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, due);
	return HRTIMER_RESTART;
}

/*
 * A sampled thread leaves, and its sample is overdue: it may not come back.
 * A timer that ran out in another thread's time is no sample of the next.
 */
static noinline void rate_take_leaving(struct profil_rate *rate,
				       struct task_struct *task)
{
	ktime_t due = 0;

	if (rate_may(task))
		due = rate_take_due(rate, task, NULL);
	if (due)
		hrtimer_start(&rate->timer, due, HRTIMER_MODE_ABS_PINNED_HARD);
	else
		rate->rate_hz = 0;
}

/* Out of the way of threads that are not sampled. */
static noinline void rate_switch_to(struct task_struct *next)
{
	rate_begin(this_cpu_ptr(&profil_rates), next, ktime_get());
}

static noinline void rate_switch_armed(struct task_struct *prev,
				       struct task_struct *next)
{
	struct profil_rate *rate = this_cpu_ptr(&profil_rates);
	ktime_t now = ktime_get();

	if (unlikely(rate->lost_from))
		rate_tell_lost(rate, prev, now);
	if (now >= hrtimer_get_expires(&rate->timer))
		rate_take_leaving(rate, prev);
	if (rate_may(next))
		rate_begin(rate, next, now);
}

/* Context: tracepoint in schedule(), under the run queue's lock. */
PROFIL_SWITCH_PROBE(profil_rate_switch)
{
	if (unlikely(this_cpu_read(profil_rates.armed)))
		rate_switch_armed(prev, next);
	else if (unlikely(rate_may(next)))
		rate_switch_to(next);
}

/**
 * profil_rate_tell() - count what the calling thread has lost so far
 * @unused: NULL; smp_call_function_single() passes one
 *
 * The caller is about to end what samples the thread, or to read its books.
 *
 * Context: any; turns interrupts off.
 */
void profil_rate_tell(void *unused)
{
	struct profil_rate *rate;
	unsigned long flags;

	local_irq_save(flags);
	rate = this_cpu_ptr(&profil_rates);
	if (rate->armed && rate->lost_from)
		rate_tell_lost(rate, current, ktime_get());
	local_irq_restore(flags);
}

/* For the thread on this CPU.  Context: interrupts off. */
void profil_rate_begin_here(void *unused)
{
	rate_begin(this_cpu_ptr(&profil_rates), current, ktime_get());
}

/* The sample under way may be slow.  Context: interrupts off. */
void profil_rate_measure(void)
{
	__this_cpu_write(profil_rates.unmeasured, 0);
}

/* Context: module init. */
void profil_rate_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct profil_rate *rate = &per_cpu(profil_rates, cpu);

		hrtimer_setup(&rate->timer, rate_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
		get_random_bytes(&rate->seed, sizeof(rate->seed));
		rate->seed |= 1;
	}
}
