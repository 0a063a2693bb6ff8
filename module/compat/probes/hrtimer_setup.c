/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream 908a1d775422 and 9779489a31d7: hrtimer_setup() replaces hrtimer_init(). */
#include <linux/hrtimer.h>

#ifndef PROBE_NEW
void hrtimer_setup(int probe);
#endif

enum hrtimer_restart probe_timer(struct hrtimer *timer);

void probe(struct hrtimer *timer)
{
#ifdef PROBE_NEW
	hrtimer_setup(timer, probe_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_setup(0);
#endif
}
