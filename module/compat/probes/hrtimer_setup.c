/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream 908a1d775422 and 9779489a31d7: hrtimer_setup() replaces hrtimer_init(). */
#include <linux/hrtimer.h>

#ifdef PROBE_NEW
void *probe = hrtimer_setup;
#else
int hrtimer_setup;
#endif
