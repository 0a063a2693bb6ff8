/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream ca3574bd653a: do_exit() is not for kernel threads any more. */
#include <linux/module.h>

#if defined(PROBE_NEW) && !defined(module_put_and_kthread_exit)
#error "it has another name"
#elif !defined(PROBE_NEW) && !defined(module_put_and_exit)
#error "it has another name"
#endif
