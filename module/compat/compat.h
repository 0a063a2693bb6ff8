/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels: the module is written to the newest API, and
 * this file, included before everything else, gives it to older kernels.
 */
#ifndef _PROFIL_COMPAT_H
#define _PROFIL_COMPAT_H

/* Before printk.h, which what follows includes. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/version.h>

/* Upstream ca5e863233e8: pin_user_pages_remote() lost its vmas argument. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
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

/*
 * Upstream d19ad0775dcd: callbacks get ftrace_regs; a13b8cf1d3a0 and others:
 * protection against recursion is asked for, no longer declined.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define ftrace_regs pt_regs
#define PROFIL_FTRACE_FLAGS \
	(FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_RECURSION_SAFE)
#else
#define PROFIL_FTRACE_FLAGS FTRACE_OPS_FL_PERMANENT
#endif

#endif /* _PROFIL_COMPAT_H */
