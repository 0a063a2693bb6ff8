/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where two CPUs may meet, one that is built with PROFIL_DELAYS=y waits at
 * random, so that tests see them meet.  Others have nothing here.
 */
#ifndef _PROFIL_DELAY_H
#define _PROFIL_DELAY_H

#ifdef PROFIL_DELAYS
#include <linux/delay.h>
#include <linux/timekeeping.h>

/* Context: any.  The low bits of a clock are random enough. */
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
