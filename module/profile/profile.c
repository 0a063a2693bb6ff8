// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile's beginning and end: create, put, tear down.
 *
 * Why a profile that is freed is not in use:
 *	- a tick finds it in an RCU read section, or in its CPU's lookup cache,
 *	  which is invalid once the profile is withdrawn; the memory is freed a
 *	  grace period after the last reference was put;
 *	- a tick that found it before it was withdrawn sees `dead` under the
 *	  lock, and does not touch the buffers, which may be freed by then;
 *	- its work item is queued under the lock while it is not dead, and is
 *	  cancelled after that, or tears it down itself;
 *	- the mmu notifiers are removed, which waits for their callbacks, before
 *	  the buffers are freed.
 * The caller that withdraws a profile gets the table's reference, and has to
 * tear it down.
 */
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "delay.h"
#include "profile/count.h"
#include "profil.h"

/* A cache of its own, because kmalloc() would round the size up by half. */
static struct kmem_cache *profiles;

/*
 * Does what a sample could not where it was taken.
 *
 * Context: hard interrupt, right after the sample; a thread with PREEMPT_RT.
 */
static void grow_pending(struct irq_work *work)
{
	struct profil_profile *profile =
		container_of(work, struct profil_profile, grow);
	struct mem_cgroup *interrupted = set_active_memcg(profile->memcg);
	unsigned long flags;

	profil_pending_grow(&profile->pending, &profile->lock, GFP_ATOMIC);
	set_active_memcg(interrupted);
	raw_spin_lock_irqsave(&profile->lock, flags);
	if (profile->layout->rate_hz && profile->pending.used && !profile->dead)
		profil_count_queue(profile);
	raw_spin_unlock_irqrestore(&profile->lock, flags);
}

/**
 * profil_profile_create() - a profile that counts nothing yet
 * @layout: its regions; a reference is taken
 * @owner: the thread, for PROFIL_F_THREAD; else any of the process
 * @mm: its address space, and the table's key if it is not a thread's
 * @gfp: GFP_KERNEL_ACCOUNT, or what the context allows
 *
 * Undone by profil_profile_teardown(), or published.
 *
 * Context: any in which @gfp may be used.
 * Return: NULL if there is no memory or the module is going away.
 */
struct profil_profile *profil_profile_create(struct profil_layout *layout,
					     struct task_struct *owner,
					     struct mm_struct *mm, gfp_t gfp)
{
	bool thread = layout->flags & PROFIL_F_THREAD;
	struct profil_profile *profile;

	if (!try_module_get(THIS_MODULE))
		return NULL;
	profile = kmem_cache_zalloc(profiles, gfp);
	if (!profile)
		goto err_put;
	profile->off = &profile->few_off;
	if (layout->nr_regions > BITS_PER_LONG)
		profile->off = bitmap_zalloc(layout->nr_regions, gfp);
	if (!profile->off)
		goto err_free;
	profil_ledger_in(PROFIL_LEDGER_PROFILES, 1);

	profile->key = thread ? (void *)owner : (void *)mm;
	mmgrab(mm);
	profile->mm = mm;
	if (thread)
		profile->task = get_task_struct(owner);
	profile->payer = profil_payer_hash(current_cred());
	/* Taken now, because the process may end before the mm does. */
	profile->memcg = get_mem_cgroup_from_mm(mm);
	profile->pid = get_pid(thread ? task_pid(owner) : task_tgid(owner));
	profile->layout = profil_layout_get(layout);
	refcount_set(&profile->ref, 1);
	raw_spin_lock_init(&profile->lock);
	profile->hot = &profil_buffer_none;
	profile->guess = &profil_index_empty;
	profil_pending_init(&profile->pending);
	profile->nr_on = layout->nr_regions;
	mutex_init(&profile->refresh_lock);
	INIT_DELAYED_WORK(&profile->work, profil_worker);
	init_irq_work(&profile->grow, grow_pending);
	return profile;

err_free:
	kmem_cache_free(profiles, profile);
err_put:
	module_put(THIS_MODULE);
	return NULL;
}

static void profile_free_rcu(struct rcu_head *rcu)
{
	struct profil_profile *profile =
		container_of(rcu, struct profil_profile, rcu);

	if (profile->off != &profile->few_off)
		bitmap_free(profile->off);
	kmem_cache_free(profiles, profile);
}

/* Context: process. */
void profil_profile_put(struct profil_profile *profile)
{
	if (!refcount_dec_and_test(&profile->ref))
		return;
	kvfree(profile->buffers);
	profil_pending_release(&profile->pending);
	profil_layout_put(profile->layout);
	put_pid(profile->pid);
	if (profile->task)
		put_task_struct(profile->task);
	mem_cgroup_put(profile->memcg);
	mmdrop(profile->mm);
	mutex_destroy(&profile->refresh_lock);
	profil_ledger_out(PROFIL_LEDGER_PROFILES, 1);
	call_rcu(&profile->rcu, profile_free_rcu);
	/* profil_profile_exit() waits for the callback and for the workers. */
	module_put(THIS_MODULE);
}

/**
 * profil_profile_hook() - put in the hooks that a profile needs
 * @profile: not published
 * @wait: as for profil_hook_get(), which also says the context and the errors
 *
 * Undone by profil_profile_unhook().
 */
int profil_profile_hook(struct profil_profile *profile, bool wait)
{
	int ret = profil_hook_get(PROFIL_HOOKS, wait);

	if (ret || !profile->layout->rate_hz)
		goto out;
	ret = profil_hook_get(PROFIL_HOOKS_RATED, wait);
	if (ret)
		profil_hook_put(PROFIL_HOOKS);
out:
	profile->hooked = !ret;
	return ret;
}

/* Context: any but hard interrupt. */
void profil_profile_unhook(struct profil_profile *profile)
{
	unsigned long flags;
	bool hooked;

	raw_spin_lock_irqsave(&profile->lock, flags);
	hooked = profile->hooked;
	profile->hooked = false;
	raw_spin_unlock_irqrestore(&profile->lock, flags);
	if (!hooked)
		return;
	if (profile->layout->rate_hz)
		profil_hook_put(PROFIL_HOOKS_RATED);
	profil_hook_put(PROFIL_HOOKS);
}

/**
 * profil_profile_teardown() - release what a profile holds, and put it
 * @profile: withdrawn by the caller, or never published
 *
 * Never fails.  Context: its own process; sleeps.
 */
void profil_profile_teardown(struct profil_profile *profile)
{
	/* One that was withdrawn has no use of the hooks any more. */
	profil_profile_unhook(profile);
	cancel_delayed_work_sync(&profile->work);
	irq_work_sync(&profile->grow);
	profil_delay();
	profil_refresh_end(profile);
	profil_profile_put(profile);
}

int profil_profile_init(void)
{
	int ret = profil_worker_init();

	if (ret)
		return ret;
	ret = -ENOMEM;
	profiles = KMEM_CACHE(profil_profile, 0);
	if (!profiles)
		goto err_worker;
	ret = profil_table_init();
	if (ret)
		goto err_cache;
	return 0;

err_cache:
	kmem_cache_destroy(profiles);
err_worker:
	profil_worker_exit();
	return ret;
}

/* All profiles have been put, but some may wait for their grace period. */
void profil_profile_exit(void)
{
	profil_worker_exit();
	profil_table_exit();
	rcu_barrier();
	kmem_cache_destroy(profiles);
}
