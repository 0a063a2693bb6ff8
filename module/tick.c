// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler tick's hook: from a timer interrupt to a thread and its pc.
 *
 * update_process_times() is called once a tick on every CPU that has one, in
 * hard interrupt context, by every kind of timer, before the run queue's lock
 * is taken.  ftrace calls us at its entry and costs nothing when we are out.
 */
#include <linux/ftrace.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>

#include "profil.h"

/*
 * Context: hard interrupt, and so within an RCU read section.  Not called for
 * itself: the filter has one function, which we don't call.
 */
static void notrace tick_hook(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct task_struct *task = current;
	struct mm_struct *mm = task->mm;
	struct pt_regs *regs = get_irq_regs();
	struct profil_profile *profile;
	enum profil_tick ret = PROFIL_TICK_OFF;
	bool user;

	/* A kernel thread may have borrowed an mm; it has no user pc. */
	if (!mm || task->flags & PF_KTHREAD)
		return;

	/* In the kernel, the pc is where the thread entered it. */
	user = user_mode(regs);
	if (!user)
		regs = task_pt_regs(task);

	rcu_read_lock();
	do {
		profile = profil_profile_find_for(task, mm);
		if (!profile)
			break;
		ret = profil_count_tick(profile, instruction_pointer(regs),
					user);
	} while (ret == PROFIL_TICK_DEAD);
	if ((!profile || ret == PROFIL_TICK_OFF) && profil_nohz_is_kept(task))
		profil_nohz_release(task);
	rcu_read_unlock();
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

/* On return no CPU is in the hook.  Context: process; sleeps. */
void profil_tick_disarm(void)
{
	unregister_ftrace_function(&tick_ops);
}

int profil_tick_init(void)
{
	static unsigned char function[] = "update_process_times";
	int ret;

	ret = ftrace_set_filter(&tick_ops, function, sizeof(function) - 1, 1);
	if (ret) {
		pr_err("this kernel can't trace %s (CONFIG_DYNAMIC_FTRACE, CONFIG_FUNCTION_TRACER): %d\n",
		       function, ret);
		return ret;
	}
	/* Rather not loaded than loaded and of no use. */
	ret = profil_tick_arm();
	if (ret)
		profil_tick_exit();
	else
		profil_tick_disarm();
	return ret;
}

void profil_tick_exit(void)
{
	ftrace_free_filter(&tick_ops);
}
