/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU's timer of samples, and whether it waits. */
#ifndef _PROFIL_RATE_H
#define _PROFIL_RATE_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "profil.h"

/*
 * Used by its CPU alone, with interrupts off; others may look whether it waits.
 */
struct profil_rate {
	struct hrtimer timer;
	u64 seed;
	u64 mean_ns;		/* of the gaps at rate_hz */
	ktime_t earliest;	/* the next sample of a debtor, to keep to the share */
	ktime_t lost_from;	/* since when it waits; 0: it does not */
	u32 rate_hz;		/* that the gap was drawn for; 0: for none */
	u8 unmeasured;		/* samples until one is measured again */
	bool armed;
	DECLARE_BITMAP(debtors, PROFIL_PAYERS);	/* see rate_throttle() */
};

DECLARE_PER_CPU(struct profil_rate, profil_rates);

#endif /* _PROFIL_RATE_H */
