// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a tick on this CPU found last: kept, and outdated.
 */
#include <linux/atomic.h>
#include <linux/tick.h>

#include "profile/lookup.h"
#include "profil.h"

unsigned long profil_lookup_generation;

DEFINE_PER_CPU(struct profil_lookup, profil_lookup) = {
	.mm = PROFIL_LOOKUP_NONE,
};

/**
 * profil_lookup_invalidate() - the table has changed
 *
 * Context: any; callers exclude each other.
 */
void profil_lookup_invalidate(void)
{
	/* Whoever sees the new one sees the change. */
	smp_store_release(&profil_lookup_generation,
			  profil_lookup_generation + 1);
}

/**
 * profil_lookup_renew() - look up what counts a thread, and keep it
 * @task: current
 * @mm: its mm
 *
 * Context: hard interrupt, inside an RCU read section.
 */
struct profil_profile *profil_lookup_renew(struct task_struct *task,
					   struct mm_struct *mm)
{
	/* Pairs with the release above. */
	unsigned long generation = smp_load_acquire(&profil_lookup_generation);
	struct profil_profile *profile = profil_profile_find_for(task, mm);

	/* Of one mm, one thread may have a profile and another none. */
	if (profil_profile_any_thread())
		return profile;
	/* Without one, a thread may still have a dependency to lose. */
	if (!profile && tick_nohz_full_enabled())
		return NULL;

	if (this_cpu_read(profil_lookup.generation) != generation) {
		this_cpu_write(profil_lookup.mm, PROFIL_LOOKUP_NONE);
		this_cpu_write(profil_lookup.other, NULL);
		this_cpu_write(profil_lookup.generation, generation);
	}
	if (profile) {
		this_cpu_write(profil_lookup.profile, profile);
		this_cpu_write(profil_lookup.mm, mm);
	} else {
		this_cpu_write(profil_lookup.other, mm);
	}
	return profile;
}
