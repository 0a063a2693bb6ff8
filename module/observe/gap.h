/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gaps between samples: exponentially distributed, from random numbers of
 * a CPU's own.
 */
#ifndef PROFIL_OBSERVE_GAP_H
#define PROFIL_OBSERVE_GAP_H

#include <linux/bits.h>
#include <linux/types.h>

/*
 * ln 2 - ln(1 + x) in units of 2^-16, for x in 64 steps from 0 to 1: each the
 * mean over its step, so that the mean of all gaps is exact.
 */
static const u16 profil_gap_logs[64] = {
	44917, 43908, 42915, 41937, 40973, 40024, 39087, 38164,
	37254, 36356, 35471, 34597, 33734, 32883, 32043, 31213,
	30394, 29585, 28786, 27996, 27216, 26445, 25683, 24930,
	24185, 23449, 22720, 22000, 21288, 20583, 19886, 19196,
	18513, 17838, 17169, 16507, 15852, 15203, 14560, 13924,
	13294, 12670, 12051, 11439, 10832, 10231,  9635,  9045,
	 8459,  7879,  7305,  6735,  6170,  5610,  5054,  4503,
	 3957,  3416,  2878,  2346,  1817,  1293,   773,   257,
};

#define PROFIL_GAP_LN_2	45426			/* likewise */

/* A seed is not 0.  Its user alone has it. */
static inline u64 profil_gap_random(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* -ln of a number of which the upper 32 bits are random, times the mean gap. */
static inline u64 profil_gap_ns(u64 mean_ns, u64 random)
{
	u64 log = __builtin_clzll(random | BIT_ULL(38)) * PROFIL_GAP_LN_2;

	return (log + profil_gap_logs[random >> 32 & 63]) * mean_ns >> 16;
}

#endif /* PROFIL_OBSERVE_GAP_H */
