// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that calls ftrace_kill(), as ftrace does after an error of its own.
 *
 * ftrace never recovers from that.  So that the machine of a test can still
 * unload profil, this one sets the flags of ftrace back when it is unloaded.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static int *kill_disabled, *kill_enabled;

/* A kprobe finds kallsyms_lookup_name(), which is not exported. */
static unsigned long (*kill_lookup(void))(const char *name)
{
	struct kprobe probe = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};

	if (register_kprobe(&probe))
		return NULL;
	unregister_kprobe(&probe);
	return (void *)probe.addr;
}

static int __init kill_init(void)
{
	unsigned long (*lookup)(const char *name) = kill_lookup();
	void (*kill)(void);

	if (!lookup)
		return -ENOENT;
	kill_disabled = (void *)lookup("ftrace_disabled");
	kill_enabled = (void *)lookup("ftrace_enabled");
	kill = (void *)lookup("ftrace_kill");
	if (!kill_disabled || !kill_enabled || !kill)
		return -ENOENT;
	kill();
	return 0;
}

static void __exit kill_exit(void)
{
	WRITE_ONCE(*kill_enabled, 1);
	WRITE_ONCE(*kill_disabled, 0);
}

module_init(kill_init);
module_exit(kill_exit);

MODULE_DESCRIPTION("ftrace that has failed, for a test of profil");
MODULE_LICENSE("GPL");
