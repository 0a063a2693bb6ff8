/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random delays between two steps that another CPU may come between, so that
 * tests see it come.  Only a module built with PROFIL_DELAYS=y has them.
 */
#ifndef _PROFIL_DELAY_H
#define _PROFIL_DELAY_H

#ifdef PROFIL_DELAYS
#include <linux/delay.h>
#include <linux/timekeeping.h>

/* The low bits of the clock are random enough.  Context: any. */
static inline void profil_delay(void)
{
	u64 now = ktime_get_mono_fast_ns();

	now = (now * 0x9e3779b97f4a7c15ULL) >> 32;
	if (now % 4 == 0)
		udelay(now / 4 % 64);
}
#else
static inline void profil_delay(void)
{
}
#endif

#endif /* _PROFIL_DELAY_H */
