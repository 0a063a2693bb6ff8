/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream a25d036d939a: a callback asks for protection against recursion. */
#include <linux/ftrace.h>

#ifdef PROBE_NEW
int probe = FTRACE_OPS_FL_RECURSION;
#else
int probe = FTRACE_OPS_FL_RECURSION_SAFE;
#endif
