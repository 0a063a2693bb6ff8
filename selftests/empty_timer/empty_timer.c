// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer on this CPU that does nothing: what the kernel itself takes for one
 * interrupt of the rate's timer.  /sys/module/empty_timer/parameters/shots counts
 * them.  It is for the kernel of the benchmark, Debian 12's.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>

#define GAP_NS	1000003		/* not in step with the tick */

static struct hrtimer empty_timer;
static unsigned long shots;
module_param(shots, ulong, 0444);
MODULE_PARM_DESC(shots, "how often the timer has run out");

static enum hrtimer_restart empty_shot(struct hrtimer *timer)
{
	shots++;
	hrtimer_set_expires(timer, hrtimer_get_expires(timer) + GAP_NS);
	return HRTIMER_RESTART;
}

static int __init empty_init(void)
{
	hrtimer_init(&empty_timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_ABS_PINNED_HARD);
	empty_timer.function = empty_shot;
	hrtimer_start(&empty_timer, ktime_get() + GAP_NS,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

static void __exit empty_exit(void)
{
	hrtimer_cancel(&empty_timer);
}

module_init(empty_init);
module_exit(empty_exit);

MODULE_DESCRIPTION("an empty timer, for the benchmark of profil");
MODULE_LICENSE("GPL");
