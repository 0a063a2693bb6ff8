// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who uses the hooks: in with the first profile, out with the last.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "delay.h"
#include "profil.h"

static DEFINE_MUTEX(profil_hook_mutex);	/* armed, and going from 0 uses */
static bool armed;
static bool stuck;		/* armed, and the module held, for ever maybe */
static atomic_t uses;

static bool keep_hooks;
module_param(keep_hooks, bool, 0444);
MODULE_PARM_DESC(keep_hooks, "keep the hooks in, so that no program has the kernel patch its text");

static int hooks_arm(void)
{
	int ret;

	lockdep_assert_held(&profil_hook_mutex);
	if (armed)
		return 0;
	ret = profil_fork_arm();
	if (ret)
		return ret;
	ret = profil_tick_arm();
	if (ret) {
		profil_fork_disarm();
		return ret;
	}
	armed = true;
	return 0;
}

/* The text that a hook calls must stay where it can't be taken out. */
static void hooks_disarm(void)
{
	int ret;

	lockdep_assert_held(&profil_hook_mutex);
	profil_delay();
	ret = profil_tick_disarm();
	if (ret) {
		if (stuck)
			return;
		stuck = true;
		__module_get(THIS_MODULE);
		pr_err("the tick's hook can't be taken out, so the module stays: %d\n",
		       ret);
		return;
	}
	profil_fork_disarm();
	profil_nohz_release_all();
	armed = false;
	if (stuck)
		module_put(THIS_MODULE);
	stuck = false;
}

static bool hooks_disarm_if_unused(void)
{
	bool is_out;

	mutex_lock(&profil_hook_mutex);
	if (armed && !atomic_read(&uses))
		hooks_disarm();
	is_out = !armed;
	mutex_unlock(&profil_hook_mutex);
	return is_out;
}

static void hooks_disarm_run(struct work_struct *work)
{
	hooks_disarm_if_unused();
}

/*
 * Patching the kernel's text costs the whole machine, and a program may set
 * and stop in a loop: the hooks stay in until nobody has wanted them for long.
 */
#define DISARM_DELAY	HZ

static DECLARE_DELAYED_WORK(disarm_work, hooks_disarm_run);

/**
 * profil_hook_get() - put the hooks in, or keep them in
 *
 * Context: process; sleeps for tens of milliseconds if they are not in yet.
 * Return: 0, -EINTR if the caller is killed, or why they can't be put in.
 */
int profil_hook_get(void)
{
	int ret;

	/* Whoever has the mutex may be kept from running. */
	if (profil_hook_get_live())
		return 0;
	ret = mutex_lock_killable(&profil_hook_mutex);
	if (ret)
		return ret;
	ret = hooks_arm();
	if (!ret)
		atomic_inc(&uses);
	mutex_unlock(&profil_hook_mutex);
	if (!ret)
		profil_ledger_in(PROFIL_LEDGER_HOOK_USES, 1);
	return ret;
}

/**
 * profil_hook_get_live() - one more use, if there is one
 *
 * With none, the hooks may be on their way out, and the profile that wanted a
 * child has ended.
 *
 * Context: any.
 */
bool profil_hook_get_live(void)
{
	if (!atomic_inc_not_zero(&uses))
		return false;
	profil_ledger_in(PROFIL_LEDGER_HOOK_USES, 1);
	return true;
}

/* Context: any; a work takes the hooks out a second after the last put. */
void profil_hook_put(void)
{
	profil_ledger_out(PROFIL_LEDGER_HOOK_USES, 1);
	if (atomic_dec_and_test(&uses))
		mod_delayed_work(profil_wq, &disarm_work, DISARM_DELAY);
}

/**
 * profil_hook_init() - see that the hooks can be put in and taken out
 *
 * A module that cannot count had better not be loaded.
 *
 * Context: process; sleeps.
 */
int profil_hook_init(void)
{
	int ret = profil_hook_get();

	if (ret || keep_hooks)
		return ret;
	profil_hook_put();
	flush_delayed_work(&disarm_work);
	return 0;
}

/*
 * There is no use any more, or the module could not be unloaded.  If the hook
 * gets stuck only now, it is too late to refuse: the caller waits.
 */
void profil_hook_exit(void)
{
	if (keep_hooks)
		profil_hook_put();
	flush_delayed_work(&disarm_work);
	while (!hooks_disarm_if_unused())
		schedule_timeout_idle(HZ);
}
