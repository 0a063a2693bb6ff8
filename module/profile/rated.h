/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Profiles with a rate: a timer counts in them, and the tick does not.
 */
#ifndef _PROFIL_RATED_H
#define _PROFIL_RATED_H

#include <linux/gfp.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/types.h>

struct profil_profile;

/* A profile is one of them while a count is in its place, by hash of its mm. */
#define PROFIL_RATED_BITS	12

extern u32 profil_rated[1 << PROFIL_RATED_BITS];
extern u32 profil_nr_rated;

void profil_rated_add(const struct profil_profile *profile, int n);
struct profil_profile *profil_rated_lookup(struct task_struct *task);
void profil_rated_take(struct profil_profile *profile, struct task_struct *task,
		       u64 pc, bool user, bool here);
void profil_rated_reserve(struct profil_profile *profile, gfp_t gfp);

/*
 * Finds the profile with a rate that counts a thread.  The thread is on this CPU,
 * or is being switched to.  Returns NULL if no such profile exists.
 * Context: interrupts off.
 */
static inline struct profil_profile *profil_rated_find(struct task_struct *task)
{
	return READ_ONCE(profil_nr_rated) ? profil_rated_lookup(task) : NULL;
}

/* False for nearly all threads without a rated profile.  Context: any. */
static inline bool profil_rated_may(const struct task_struct *task)
{
	return READ_ONCE(profil_nr_rated) &&
	       READ_ONCE(profil_rated[hash_ptr(task->mm, PROFIL_RATED_BITS)]);
}

#endif /* _PROFIL_RATED_H */
