// SPDX-License-Identifier: GPL-2.0-only
/*
 * The use counts of the hooks: the first use puts them in, and a second after
 * the last one a work item takes them out.
 *
 * There are two sets: what every profile needs, and what an observer needs.  A
 * profile with a rate needs both.  main.c registers the hooks of a set in the
 * order in which they are armed.  They are disarmed in reverse.  The tick runs on
 * every CPU, so it is armed last.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "delay.h"
#include "profil.h"

struct hook_set {
	struct mutex mutex;	/* covers it, and a use count that leaves 0 */
	const struct profil_hook *hooks;
	int nr_hooks;
	int nr_armed;		/* the first ones of hooks */
	bool stuck;		/* one can't be taken out: the module is held */
	atomic_t uses;
	struct delayed_work disarm;
};

static void hooks_disarm_run(struct work_struct *work);

static struct hook_set sets[] = {
	{ .mutex = __MUTEX_INITIALIZER(sets[0].mutex),
	  .disarm = __DELAYED_WORK_INITIALIZER(sets[0].disarm,
					       hooks_disarm_run, 0) },
	{ .mutex = __MUTEX_INITIALIZER(sets[1].mutex),
	  .disarm = __DELAYED_WORK_INITIALIZER(sets[1].disarm,
					       hooks_disarm_run, 0) },
};

static bool keep_hooks;
module_param(keep_hooks, bool, 0444);
MODULE_PARM_DESC(keep_hooks, "keep the hooks in, so that no program has the kernel patch its text");

/* The text that a hook calls must stay where the hook can't be taken out. */
static void hooks_hold_module(struct hook_set *set, const char *name, int error)
{
	if (set->stuck)
		return;
	set->stuck = true;
	__module_get(THIS_MODULE);
	pr_err("the hook of the %s can't be taken out, so the module stays: %d\n",
	       name, error);
}

static void hooks_disarm(struct hook_set *set)
{
	const struct profil_hook *hook;
	int ret;

	lockdep_assert_held(&set->mutex);
	for (; set->nr_armed; set->nr_armed--) {
		profil_delay();
		hook = &set->hooks[set->nr_armed - 1];
		ret = hook->disarm();
		if (ret)
			return hooks_hold_module(set, hook->name, ret);
	}
	if (set->stuck)
		module_put(THIS_MODULE);
	set->stuck = false;
}

static int hooks_arm(struct hook_set *set)
{
	int ret;

	lockdep_assert_held(&set->mutex);
	for (; set->nr_armed < set->nr_hooks; set->nr_armed++) {
		ret = set->hooks[set->nr_armed].arm();
		if (ret) {
			hooks_disarm(set);
			return ret;
		}
	}
	return 0;
}

static bool hooks_disarm_if_unused(struct hook_set *set)
{
	bool are_out;

	mutex_lock(&set->mutex);
	if (!atomic_read(&set->uses))
		hooks_disarm(set);
	are_out = !set->nr_armed;
	mutex_unlock(&set->mutex);
	return are_out;
}

static void hooks_disarm_run(struct work_struct *work)
{
	hooks_disarm_if_unused(container_of(to_delayed_work(work),
					    struct hook_set, disarm));
}

/*
 * Patching the kernel's text costs the whole machine, and a program may set
 * and stop in a loop.  So the hooks stay in for a while after the last use.
 */
#define DISARM_DELAY	HZ

/**
 * profil_hook_get() - put the hooks of a set in, or keep them in
 * @nr: which set
 * @wait: put them in; else only another use keeps them in
 *
 * The hooks may be on their way out where there is no other use.  The profile
 * that a child would inherit has ended then.
 *
 * Context: process with @wait; sleeps for tens of milliseconds if they are not
 * in yet.  Else any.
 * Return: 0, -EINTR if the caller is killed, or why they can't be put in;
 * without @wait -EAGAIN if there is no other use.
 */
int profil_hook_get(enum profil_hook_set nr, bool wait)
{
	struct hook_set *set = &sets[nr];
	int ret = 0;

	/* The mutex may be held by a task that is kept from running. */
	if (atomic_inc_not_zero(&set->uses))
		goto out;
	if (!wait)
		return -EAGAIN;
	ret = mutex_lock_killable(&set->mutex);
	if (ret)
		return ret;
	ret = hooks_arm(set);
	if (!ret)
		atomic_inc(&set->uses);
	mutex_unlock(&set->mutex);
out:
	if (!ret)
		profil_ledger_in(PROFIL_LEDGER_HOOK_USES, 1);
	return ret;
}

/**
 * profil_hook_put() - end a use
 * @nr: of which set
 *
 * Context: any.
 */
void profil_hook_put(enum profil_hook_set nr)
{
	profil_ledger_out(PROFIL_LEDGER_HOOK_USES, 1);
	if (atomic_dec_and_test(&sets[nr].uses))
		mod_delayed_work(system_freezable_wq, &sets[nr].disarm,
				 DISARM_DELAY);
}

/**
 * profil_hook_register() - say which hooks a set has
 * @nr: the set
 * @hooks: in the order in which they go in
 * @nr_hooks: how many
 *
 * Context: module init.
 */
void profil_hook_register(enum profil_hook_set nr,
			  const struct profil_hook *hooks, int nr_hooks)
{
	sets[nr].hooks = hooks;
	sets[nr].nr_hooks = nr_hooks;
}

/**
 * profil_hook_init() - try the hooks of every profile
 *
 * A module that can't count had better not be loaded.
 *
 * Context: process; sleeps.
 */
int profil_hook_init(void)
{
	int ret;

	ret = profil_hook_get(PROFIL_HOOKS, true);
	if (ret || keep_hooks)
		return ret;
	profil_hook_put(PROFIL_HOOKS);
	flush_delayed_work(&sets[PROFIL_HOOKS].disarm);
	return 0;
}

/*
 * The module has no user any more, so the hooks have no use.  A hook that gets
 * stuck only now has no error to return, so the caller waits.
 */
void profil_hook_exit(void)
{
	struct hook_set *set;

	if (keep_hooks)
		profil_hook_put(PROFIL_HOOKS);
	for (set = sets; set < sets + ARRAY_SIZE(sets); set++) {
		flush_delayed_work(&set->disarm);
		while (!hooks_disarm_if_unused(set))
			schedule_timeout_idle(HZ);
	}
}
