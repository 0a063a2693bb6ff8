// SPDX-License-Identifier: GPL-2.0-only
/*
 * The use count of the hooks: the first use puts them in, and a second after
 * the last one a work item takes them out.
 *
 * main.c registers the hooks in the order in which they are armed.  They are
 * disarmed in reverse.  The tick runs on every CPU, so it is armed last.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "delay.h"
#include "profil.h"

static const struct profil_hook *hooks;
static int nr_hooks;

/* Covers what follows, and a use count that leaves 0. */
static DEFINE_MUTEX(profil_hook_mutex);
static int nr_armed;		/* the first ones of hooks */
static bool stuck;		/* one can't be taken out: the module is held */
static atomic_t uses;

static bool keep_hooks;
module_param(keep_hooks, bool, 0444);
MODULE_PARM_DESC(keep_hooks, "keep the hooks in, so that no program has the kernel patch its text");

/* The text that a hook calls must stay where the hook can't be taken out. */
static void hooks_hold_module(const char *name, int error)
{
	if (stuck)
		return;
	stuck = true;
	__module_get(THIS_MODULE);
	pr_err("the hook of the %s can't be taken out, so the module stays: %d\n",
	       name, error);
}

static void hooks_disarm(void)
{
	int ret;

	lockdep_assert_held(&profil_hook_mutex);
	for (; nr_armed; nr_armed--) {
		profil_delay();
		ret = hooks[nr_armed - 1].disarm();
		if (ret)
			return hooks_hold_module(hooks[nr_armed - 1].name, ret);
	}
	if (stuck)
		module_put(THIS_MODULE);
	stuck = false;
}

static int hooks_arm(void)
{
	int ret;

	lockdep_assert_held(&profil_hook_mutex);
	for (; nr_armed < nr_hooks; nr_armed++) {
		ret = hooks[nr_armed].arm();
		if (ret) {
			hooks_disarm();
			return ret;
		}
	}
	return 0;
}

static bool hooks_disarm_if_unused(void)
{
	bool are_out;

	mutex_lock(&profil_hook_mutex);
	if (!atomic_read(&uses))
		hooks_disarm();
	are_out = !nr_armed;
	mutex_unlock(&profil_hook_mutex);
	return are_out;
}

static void hooks_disarm_run(struct work_struct *work)
{
	hooks_disarm_if_unused();
}

/*
 * Patching the kernel's text costs the whole machine, and a program may set
 * and stop in a loop.  So the hooks stay in for a while after the last use.
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

	/* The mutex may be held by a task that is kept from running. */
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
 * profil_hook_get_live() - add a use, unless there is no other
 *
 * The hooks may be on their way out where there is no other use.  The profile
 * that a child would inherit has ended then.
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

/**
 * profil_hook_put() - end a use
 *
 * Context: any.
 */
void profil_hook_put(void)
{
	profil_ledger_out(PROFIL_LEDGER_HOOK_USES, 1);
	if (atomic_dec_and_test(&uses))
		mod_delayed_work(system_freezable_wq, &disarm_work,
				 DISARM_DELAY);
}

/**
 * profil_hook_init() - register the hooks, and try them
 * @table: the hooks, in the order in which they go in
 * @nr: how many
 *
 * A module that can't count had better not be loaded.
 *
 * Context: process; sleeps.
 */
int profil_hook_init(const struct profil_hook *table, int nr)
{
	int ret;

	hooks = table;
	nr_hooks = nr;
	ret = profil_hook_get();
	if (ret || keep_hooks)
		return ret;
	profil_hook_put();
	flush_delayed_work(&disarm_work);
	return 0;
}

/*
 * The module has no user any more, so the hooks have no use.  A hook that gets
 * stuck only now has no error to return, so the caller waits.
 */
void profil_hook_exit(void)
{
	if (keep_hooks)
		profil_hook_put();
	flush_delayed_work(&disarm_work);
	while (!hooks_disarm_if_unused())
		schedule_timeout_idle(HZ);
}
