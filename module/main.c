// SPDX-License-Identifier: GPL-2.0-only
/*
 * Init in order, exit in reverse.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "dump/dump.h"
#include "hooks/hooks.h"
#include "ioctl/ioctl.h"
#include "observe/observe.h"
#include "profil.h"

#if !IS_ENABLED(CONFIG_64BIT)
#error "profil needs a 64-bit kernel"
#endif

static bool ledger_always;
module_param_named(ledger, ledger_always, bool, 0644);
MODULE_PARM_DESC(ledger, "write the ledger to the log at every unload, not only if it does not balance");

/* In the order in which they are armed. */
static const struct profil_hook hook_table[] = {
	{ "task", profil_task_arm, profil_task_disarm },
	{ "tick", profil_tick_arm, profil_tick_disarm },
};

static const struct profil_hook rated_hook = {
	"observers", profil_observe_arm, profil_observe_disarm
};

static int __init profil_init(void)
{
	int ret;

	/* Fork's hook allocates and takes spinlocks, which sleep with PREEMPT_RT. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && !PROFIL_TRACEPOINTS_PREEMPTIBLE) {
		pr_err("this PREEMPT_RT kernel is too old: its tracepoints can't be preempted\n");
		return -EOPNOTSUPP;
	}
	ret = profil_remote_init();
	if (ret)
		return ret;
	ret = profil_profile_init();
	if (ret)
		goto err_mm;
	ret = profil_dump_init();
	if (ret)
		goto err_profile;
	ret = profil_tick_init();
	if (ret)
		goto err_dump;
	ret = profil_observe_init();
	if (ret)
		goto err_tick;
	profil_hook_register(PROFIL_HOOKS, hook_table, ARRAY_SIZE(hook_table));
	profil_hook_register(PROFIL_HOOKS_RATED, &rated_hook, 1);
	ret = profil_hook_init();
	if (ret)
		goto err_observe;
	ret = profil_chardev_init();
	if (ret)
		goto err_hook;
	profil_debugfs_init();
	return 0;

err_hook:
	profil_hook_exit();
err_observe:
	profil_observe_exit();
err_tick:
	profil_tick_exit();
err_dump:
	profil_dump_exit();
err_profile:
	profil_profile_exit();
err_mm:
	profil_remote_exit();
	return ret;
}

/* Profiles, dumps and descriptors hold the module, so all of them are gone. */
static void __exit profil_exit(void)
{
	profil_debugfs_exit();
	profil_chardev_exit();
	profil_hook_exit();
	profil_observe_exit();
	profil_tick_exit();
	profil_dump_exit();
	profil_profile_exit();
	profil_remote_exit();
	profil_ledger_close(ledger_always);
}

module_init(profil_init);
module_exit(profil_exit);

MODULE_AUTHOR("profil developers");
MODULE_VERSION(PROFIL_VERSION);
MODULE_DESCRIPTION("profil(2): the tick counts user pcs in the process's own memory");
MODULE_LICENSE("GPL");
