// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler tick's hook: from a timer interrupt to a thread and its pc.
 *
 * update_process_times() is called once a tick on every CPU that has one, in
 * hard interrupt context, by every kind of timer, before the run queue's lock
 * is taken.  ftrace calls the hook at its entry, which costs nothing while the
 * hook is out.
 */
#include <linux/ftrace.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>

#include "profile/count.h"
#include "delay.h"
#include "profile/lookup.h"
#include "hooks/hooks.h"
#include "profil.h"

/* Slow path: look the profile up again and count with all checks. */
static noinline void tick_slowly(void)
{
	struct task_struct *task = current;
	struct mm_struct *mm = task->mm;
	struct pt_regs *regs = get_irq_regs();
	struct profil_profile *profile;
	enum profil_tick ret = PROFIL_TICK_OFF;
	bool user;

	/* A kernel thread may have borrowed an mm; it has no user pc. */
	if (!mm || task->flags & PROFIL_PF_NO_USER)
		return;

	/* In the kernel, the pc is where the thread entered it. */
	user = user_mode(regs);
	if (!user)
		regs = task_pt_regs(task);

	rcu_read_lock();
	do {
		profile = profil_lookup_renew(task, mm);
		if (!profile)
			break;
		profil_delay();
		ret = profil_count_tick(profile, instruction_pointer(regs),
					user);
	} while (ret == PROFIL_TICK_DEAD);
	if (!profile || ret == PROFIL_TICK_OFF)
		profil_nohz_release(task);
	rcu_read_unlock();
}

/* Counts in a buffer, and releases the profile's lock, which the caller took. */
static __always_inline void tick_count(struct profil_profile *profile,
				       struct profil_buffer *buffer, u64 pc)
{
	if (unlikely(!buffer->live))
		goto slowly;
	profile->hot = buffer;
	if (unlikely(!profil_count_in(profile, buffer, pc)))
		goto slowly;
	profil_count_unlock(profile);
	return;

slowly:
	profil_count_unlock(profile);
	tick_slowly();
}

/* No region takes the pc, unless there is an overflow region. */
static noinline void notrace tick_outside(struct profil_profile *profile)
{
	if (profile->layout->overflow != PROFIL_REGION_NONE ||
	    !profile->nr_on) {
		profil_count_unlock(profile);
		return tick_slowly();
	}
	profile->books.seen++;
	profile->books.outside++;
	profil_count_unlock(profile);
}

static noinline void notrace tick_find(struct profil_profile *profile, u64 pc)
{
	unsigned long region = profil_layout_find(profile->layout, pc);

	if (unlikely(!profile->counting)) {
		profil_count_unlock(profile);
		return tick_slowly();
	}
	if (region == PROFIL_REGION_NONE)
		return tick_outside(profile);
	/* PROFIL_REGION_NONE is no index, for speculation either. */
	region = array_index_nospec(region, PROFIL_REGION_NONE);
	tick_count(profile, profile->counting + region, pc);
}

/* The buffer that was hit last does not take the pc: ask the index. */
static noinline void notrace tick_guess(struct profil_profile *profile, u64 pc)
{
	u16 region = profil_index_guess(profile->guess, pc);

	if (likely(profil_index_is_region(region)))
		return tick_count(profile, profile->counting +
				  (region & PROFIL_INDEX_REGION), pc);
	if (region == PROFIL_INDEX_NONE)
		return tick_outside(profile);
	tick_find(profile, pc);
}

/* In the kernel, the pc is where the thread entered it. */
static noinline void notrace tick_in_kernel(struct profil_profile *profile)
{
	struct task_struct *task = current;

	if (task->flags & PROFIL_PF_NO_USER ||
	    profile->layout->flags & PROFIL_F_USER_ONLY ||
	    !profil_count_trylock(profile))
		return tick_slowly();
	tick_guess(profile, instruction_pointer(task_pt_regs(task)));
}

/*
 * Fast path: each instruction here is one of every tick.  A call is always the
 * last step, so that no register needs to be saved.
 *
 * Context: hard interrupt, and so within an RCU read section.  Does not
 * recurse, because it does not call the one function of the filter.
 */
static void notrace tick_hook(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct mm_struct *mm = current->mm;
	struct profil_profile *profile;
	struct profil_buffer *buffer;
	struct pt_regs *regs;
	u64 pc;

	if (unlikely(this_cpu_read(profil_lookup.generation) !=
		     READ_ONCE(profil_lookup_generation)))
		return tick_slowly();
	if (this_cpu_read(profil_lookup.mm) != mm) {
		if (this_cpu_read(profil_lookup.other) == mm)
			return;
		return tick_slowly();
	}
	profile = this_cpu_read(profil_lookup.profile);
	profil_delay();
	regs = get_irq_regs();
	if (unlikely(!user_mode(regs)))
		return tick_in_kernel(profile);
	if (unlikely(!profil_count_trylock(profile)))
		return tick_slowly();

	pc = instruction_pointer(regs);
	buffer = profile->hot;
	/* Read again, so that no register has to hold it until here. */
	if (!profil_count_takes(buffer, pc))
		return tick_guess(profile,
				  instruction_pointer(get_irq_regs()));
	if (likely(profil_count_in(profile, buffer, pc)))
		return profil_count_unlock(profile);
	profil_count_unlock(profile);
	tick_slowly();
}

static struct ftrace_ops tick_ops = {
	.func = tick_hook,
	.flags = PROFIL_FTRACE_FLAGS,
};

/* Context: process; sleeps. */
int profil_tick_arm(void)
{
	int ret = register_ftrace_function(&tick_ops);

	if (ret == -EBUSY)
		pr_err_ratelimited("tracing is switched off: sysctl kernel.ftrace_enabled=0\n");
	return ret;
}

/**
 * profil_tick_disarm() - take the hook out
 *
 * After an error of its own (ftrace_kill()) ftrace takes no hook out any more,
 * and its trampolines may go on calling this one.
 *
 * Context: process; sleeps.
 * Return: 0 if no CPU is in the hook any more, or why it is still in.
 */
int profil_tick_disarm(void)
{
	return unregister_ftrace_function(&tick_ops);
}

int profil_tick_init(void)
{
	static unsigned char function[] = "update_process_times";
	int ret;

	ret = ftrace_set_filter(&tick_ops, function, sizeof(function) - 1, 1);
	if (ret)
		pr_err("this kernel can't trace %s (CONFIG_DYNAMIC_FTRACE, CONFIG_FUNCTION_TRACER): %d\n",
		       function, ret);
	return ret;
}

void profil_tick_exit(void)
{
	ftrace_free_filter(&tick_ops);
}
