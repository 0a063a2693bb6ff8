// SPDX-License-Identifier: MIT
/*
 * PROFIL_RATE=N: N samples a second of CPU time, instead of one a tick.
 *
 * A rate that can't be had is told, and then the tick samples.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <profil.h>
#include <stdlib.h>

#include "internal.h"

static uint32_t rate;		/* 0: the tick */
static uint32_t tick, most;	/* most: 0 where there are no rates */

static const char *wished_rate(void)
{
	const char *text = secure_getenv("PROFIL_RATE");

	return text && *text ? text : NULL;
}

/* 0 if it is no number. */
static unsigned long number_of(const char *text)
{
	unsigned long number;
	char *end;

	if (*text < '0' || *text > '9')
		return 0;
	number = strtoul(text, &end, 10);
	return *end ? 0 : number;
}

void profil_rate_choose(const struct profil_info *info)
{
	const char *text = wished_rate();
	unsigned long number = text ? number_of(text) : 0;

	tick = info->hz;
	most = info->features & PROFIL_FEAT_RATE ? info->max_rate_hz : 0;
	if (number <= most)
		__atomic_store_n(&rate, (uint32_t)number, __ATOMIC_RELAXED);
}

void profil_rate_tell(bool kernel)
{
	const char *text = wished_rate();

	if (!text || profil_rate())
		return;
	if (!kernel)
		profil_report("PROFIL_RATE=%s: only the kernel has rates, by /dev/profil",
			      text);
	else if (!most)
		profil_report("PROFIL_RATE=%s: this version of the module has no rates; install a newer one; sampling by the tick, %u a second",
			      text, tick);
	else if (!number_of(text))
		profil_report("PROFIL_RATE=%s: not a number from 1 to %u; sampling by the tick, %u a second",
			      text, most, tick);
	else
		profil_report("PROFIL_RATE=%s: at most %u for this user on this machine; sampling by the tick, %u a second",
			      text, most, tick);
}

uint32_t profil_rate(void)
{
	return __atomic_load_n(&rate, __ATOMIC_RELAXED);
}

/* A program that was privileged when it asked what it may have. */
bool profil_rate_give_up(void)
{
	uint32_t had = __atomic_exchange_n(&rate, 0, __ATOMIC_RELAXED);

	if (had)
		profil_report("PROFIL_RATE=%u: no longer allowed; sampling by the tick, %u a second",
			      had, tick);
	return had;
}
