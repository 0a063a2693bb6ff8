/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tick on this CPU found last, so that most look up nothing.
 *
 * It holds until the generation changes, as it does after each change of the
 * table: a tick that still sees the old generation began before, and a profile
 * that was withdrawn is freed a grace period later.
 */
#ifndef _PROFIL_LOOKUP_H
#define _PROFIL_LOOKUP_H

#include <linux/percpu.h>
#include <linux/sched.h>

struct profil_profile;

struct profil_lookup {
	const struct mm_struct *mm;	/* or PROFIL_LOOKUP_NONE */
	struct profil_profile *profile;	/* its */
	const struct mm_struct *other;	/* that has none */
	unsigned long generation;
};

#define PROFIL_LOOKUP_NONE	((void *)1)

DECLARE_PER_CPU(struct profil_lookup, profil_lookup);
extern unsigned long profil_lookup_generation;

struct profil_profile *profil_lookup_renew(struct task_struct *task,
					   struct mm_struct *mm);

#endif /* _PROFIL_LOOKUP_H */
