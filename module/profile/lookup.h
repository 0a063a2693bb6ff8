/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU cache of the last lookup, so that most ticks skip the hash table.
 *
 * An entry is valid until the generation changes, which it does after each
 * change of the table.  A tick that still sees the old generation began before
 * the change, and a withdrawn profile is freed a grace period later.
 */
#ifndef _PROFIL_LOOKUP_H
#define _PROFIL_LOOKUP_H

#include <linux/percpu.h>
#include <linux/sched.h>

struct profil_profile;

struct profil_lookup {
	const struct mm_struct *mm;	/* or PROFIL_LOOKUP_NONE */
	struct profil_profile *profile;	/* of mm */
	const struct mm_struct *other;	/* an mm without one for ticks */
	unsigned long generation;
	const struct mm_struct *timed;	/* looked up by the timer */
	struct profil_profile *rated;	/* of timed, if it has a rate; or NULL */
};

#define PROFIL_LOOKUP_NONE	((void *)1)

DECLARE_PER_CPU(struct profil_lookup, profil_lookup);
extern unsigned long profil_lookup_generation;

struct profil_profile *profil_lookup_renew(struct task_struct *task,
					   struct mm_struct *mm);
struct profil_profile *profil_lookup_rated_renew(struct task_struct *task,
						 struct mm_struct *mm);

#endif /* _PROFIL_LOOKUP_H */
