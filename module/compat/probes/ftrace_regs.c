/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Upstream d19ad0775dcd: an ftrace callback is given ftrace_regs.  Just before,
 * a25d036d939a made it ask for protection against recursion.
 */
#include <linux/ftrace.h>

#ifdef PROBE_NEW
void probe(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
	   struct ftrace_regs *fregs);
#else
void probe(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
	   struct pt_regs *regs);
#endif

ftrace_func_t pointer = probe;
