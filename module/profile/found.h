/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tick on this CPU found last, so that most look up nothing.
 *
 * It holds until the generation changes, as it does after each change of the
 * table: a tick that still sees the old generation began before, and a profile
 * that was withdrawn is freed a grace period later.
 */
#ifndef _PROFIL_FOUND_H
#define _PROFIL_FOUND_H

#include <linux/percpu.h>
#include <linux/sched.h>

struct profil_profile;

struct profil_found {
	const struct mm_struct *mm;	/* or PROFIL_FOUND_NONE */
	struct profil_profile *profile;	/* its */
	const struct mm_struct *other;	/* that has none */
	unsigned long generation;
};

#define PROFIL_FOUND_NONE	((void *)1)

DECLARE_PER_CPU(struct profil_found, profil_found);
extern unsigned long profil_found_generation;

void profil_found_outdate(void);
struct profil_profile *profil_found_renew(struct task_struct *task,
					  struct mm_struct *mm);

#endif /* _PROFIL_FOUND_H */
