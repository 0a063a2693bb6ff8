/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels: the module is written to the newest API, and
 * this file, included before everything else, gives it to older kernels.
 *
 * What a kernel has is tried, never concluded from its version: distributions
 * carry changes back.  To add a difference, write probes/NAME.c, of a few
 * lines, that compiles in one form with PROBE_NEW on kernels with the newest
 * API, in the other without it on older ones, and in both on none; name the
 * upstream commit.  The build then has PROFIL_HAVE_NAME as 1 or 0.  A function
 * that some kernels only lack for modules is a line of probes/exports.
 */
#ifndef _PROFIL_COMPAT_H
#define _PROFIL_COMPAT_H

/* Before printk.h, which what follows includes. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/tick.h>

#include "probed.h"

#if !PROFIL_HAVE_PIN_REMOTE
static inline long
profil_compat_pin_remote(struct mm_struct *mm, unsigned long start,
			 unsigned long nr_pages, unsigned int gup_flags,
			 struct page **pages, int *locked)
{
	return pin_user_pages_remote(mm, start, nr_pages, gup_flags, pages,
				     NULL, locked);
}

#define pin_user_pages_remote profil_compat_pin_remote
#endif

#if !PROFIL_HAVE_FTRACE_REGS
#define ftrace_regs pt_regs
#endif

/* Once a callback that needed no protection had to say so. */
#if PROFIL_HAVE_FTRACE_RECURSION
#define PROFIL_FTRACE_FLAGS	FTRACE_OPS_FL_PERMANENT
#else
#define PROFIL_FTRACE_FLAGS	(FTRACE_OPS_FL_PERMANENT | \
				 FTRACE_OPS_FL_RECURSION_SAFE)
#endif

/* An empty filter has no memory of its own. */
#if !PROFIL_HAVE_FTRACE_FREE_FILTER
static inline void profil_compat_free_filter(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}

#define ftrace_free_filter profil_compat_free_filter
#endif

/* A tracepoint's probe may be preempted: SRCU protects it. */
#define PROFIL_TRACEPOINTS_PREEMPTIBLE \
	(PROFIL_HAVE_TRACEPOINT_SRCU && PROFIL_HAVE_NO_RCUIDLE)

/* The head of a probe of sched_process_exit. */
#if PROFIL_HAVE_EXIT_GROUP_DEAD
#define PROFIL_EXIT_PROBE(name) \
	static void name(void *data, struct task_struct *task, bool group_dead)
#else
#define PROFIL_EXIT_PROBE(name) \
	static void name(void *data, struct task_struct *task)
#endif

/* A thread's dependency on the tick of a CPU that would stop it. */
#if PROFIL_HAVE_TICK_NOHZ_DEP_SET_TASK
static inline bool profil_compat_tick_dep(struct task_struct *task,
					  enum tick_dep_bits bit)
{
	return atomic_read(&task->tick_dep_mask) & BIT(bit);
}
#else
static inline bool profil_compat_nohz_full(void)
{
	return false;
}

static inline void profil_compat_no_tick_dep(struct task_struct *task,
					     enum tick_dep_bits bit)
{
}

static inline bool profil_compat_tick_dep(struct task_struct *task,
					  enum tick_dep_bits bit)
{
	return false;
}

#define tick_nohz_full_enabled	profil_compat_nohz_full
#define tick_dep_set_task	profil_compat_no_tick_dep
#define tick_dep_clear_task	profil_compat_no_tick_dep
#endif

/* Without the option, no CPU stops its tick while it runs a thread. */
#define PROFIL_NOHZ_FULL	(PROFIL_HAVE_TICK_NOHZ_DEP_SET_TASK || \
				 !IS_ENABLED(CONFIG_NO_HZ_FULL))

#endif /* _PROFIL_COMPAT_H */
