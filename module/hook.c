// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who uses the hooks: in with the first profile, out with the last.
 */
#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "delay.h"
#include "profil.h"

static DEFINE_MUTEX(profil_hook_mutex);	/* armed, and going from 0 uses */
static bool armed;
static atomic_t uses;

static int arm(void)
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

static void disarm_if_unused(struct work_struct *work)
{
	mutex_lock(&profil_hook_mutex);
	if (armed && !atomic_read(&uses)) {
		profil_delay();
		profil_tick_disarm();
		profil_fork_disarm();
		profil_nohz_release_all();
		armed = false;
	}
	mutex_unlock(&profil_hook_mutex);
}

/*
 * Patching the kernel's text costs the whole machine, and a program may set
 * and stop in a loop: the hooks stay in until nobody has wanted them for long.
 */
#define DISARM_DELAY	HZ

static DECLARE_DELAYED_WORK(disarm_work, disarm_if_unused);

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
	ret = arm();
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

/* There is no use any more, or the module could not be unloaded. */
void profil_hook_exit(void)
{
	flush_delayed_work(&disarm_work);
}
