// SPDX-License-Identifier: GPL-2.0-only
/*
 * The deferred part of a profile: refreshes, and teardowns without a caller.
 *
 * Workers are few and shared by all processes.  So a worker takes no lock that
 * a process may hold as long as it likes, and few workers of one payer run at a
 * time.  A refresh that is not possible now is queued again.
 */
#include <linux/minmax.h>
#include <linux/sched/mm.h>
#include <linux/workqueue.h>

#include "delay.h"
#include "profil.h"

#define SOON		25	/* retries that are one tick apart */
#define LATER		(HZ / 10)
#define RARELY		5	/* times that LATER is doubled at most */
#define UNSAMPLED_MAX	HZ	/* ticks between runs before a sample */
#define LAST_TRIES	25

/* A teardown frees memory, so it must run where memory is short. */
#define WORKER_FLAGS	(WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_FREEZABLE)

struct workqueue_struct *profil_wq;

/* Most locks are held briefly, so the first retries are soon. */
static unsigned long delay_after(unsigned int again)
{
	if (again < SOON)
		return 1;
	return LATER << min_t(unsigned int, (again - SOON) / SOON, RARELY);
}

/**
 * profil_worker_again() - queue a refresh again that failed
 * @profile: if it is dead, nothing is queued
 * @ret: the return value of profil_refresh()
 *
 * Context: process.
 */
void profil_worker_again(struct profil_profile *profile, int ret)
{
	unsigned long delay = LATER;

	raw_spin_lock_irq(&profile->lock);
	if (!ret)
		profile->again = 0;
	else if (ret == -EAGAIN)
		delay = delay_after(profile->again++);
	if (ret && !profile->dead)
		queue_delayed_work(profil_wq, &profile->work, delay);
	raw_spin_unlock_irq(&profile->lock);
}

/**
 * profil_worker_end() - leave the teardown to a worker
 * @profile: withdrawn by the caller, or never published
 *
 * Context: any but hard interrupt.
 */
void profil_worker_end(struct profil_profile *profile)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&profile->lock, flags);
	profile->ending = true;
	profile->again = 0;
	mod_delayed_work(profil_wq, &profile->work, 0);
	raw_spin_unlock_irqrestore(&profile->lock, flags);
}

static int refresh_now(struct profil_profile *profile)
{
	int ret = profil_remote_get(profile->mm, profile->payer);

	if (ret)
		return ret;
	/* In the process itself the kernel charges its memcg by default. */
	set_active_memcg(profile->memcg);
	profil_pending_grow(&profile->pending, &profile->lock, GFP_KERNEL);
	ret = profil_refresh(profile);
	set_active_memcg(NULL);
	profil_remote_put(profile->mm, profile->payer);
	return ret;
}

/*
 * Returns -EUSERS if too many workers of the payer run.  The teardown of a
 * child without buffers can't block, and so does not count.
 */
static int run_limited(struct profil_profile *profile,
		       int (*what)(struct profil_profile *profile))
{
	int ret;

	if (!atomic_read(&profile->mm->mm_users) &&
	    !READ_ONCE(profile->buffers))
		return what(profile);
	if (!profil_payer_enter(profile->payer, PROFIL_WAIT_WORKER))
		return -EUSERS;
	ret = what(profile);
	profil_payer_leave(profile->payer, PROFIL_WAIT_WORKER);
	return ret;
}

/* A thread has ended, but its mm is there: count its pending samples. */
static int refresh_last(struct profil_profile *profile)
{
	int ret;

	if (!profile->task || !profile->pending.used ||
	    profile->again >= LAST_TRIES)
		return 0;
	ret = refresh_now(profile);
	return ret == -ESRCH ? 0 : ret;
}

static int end_now(struct profil_profile *profile)
{
	int ret = refresh_last(profile);

	if (ret)
		return ret;
	irq_work_sync(&profile->grow);
	return profil_refresh_end(profile);
}

static void end_profile(struct profil_profile *profile)
{
	int ret;

	/* The pages are given back first, because the rest may have to wait. */
	if (!atomic_read(&profile->mm->mm_users))
		profil_refresh_let_go(profile);
	ret = run_limited(profile, end_now);
	if (ret == -EUSERS)
		queue_delayed_work(profil_wq, &profile->work, LATER);
	else if (ret)
		queue_delayed_work(profil_wq, &profile->work,
				   delay_after(profile->again++));
	else
		profil_profile_put(profile);
}

/*
 * profil_worker_end() queues the work item, which may be running by then.  This
 * run then does the teardown, and the queued one is cancelled.
 */
static bool is_ending(struct profil_profile *profile)
{
	bool ending;

	profil_delay();
	raw_spin_lock_irq(&profile->lock);
	ending = profile->ending;
	raw_spin_unlock_irq(&profile->lock);
	if (ending)
		cancel_delayed_work(&profile->work);
	return ending;
}

/*
 * The first refresh of a child takes the locks of all its mappings, and those
 * of shared files stall other processes.  Most children end before their first
 * sample, so the refresh waits for that sample.
 *
 * Without a notifier the worker has to see the end of the child by itself.  It
 * runs after 1, 2, 4 ... ticks, and then once a second.
 */
static bool wait_for_sample(struct profil_profile *profile)
{
	unsigned long delay;
	bool wait;

	raw_spin_lock_irq(&profile->lock);
	wait = !profile->buffers && !profile->pending.used && !profile->dead &&
	       atomic_read(&profile->mm->mm_users);
	if (wait) {
		delay = min_t(unsigned long, 1UL << profile->unsampled,
			      UNSAMPLED_MAX);
		if (delay < UNSAMPLED_MAX)
			profile->unsampled++;
		queue_delayed_work(profil_wq, &profile->work, delay);
	}
	raw_spin_unlock_irq(&profile->lock);
	return wait;
}

/* Context: workqueue. */
void profil_worker(struct work_struct *work)
{
	struct profil_profile *profile =
		container_of(to_delayed_work(work), struct profil_profile, work);
	int ret;

	if (is_ending(profile)) {
		end_profile(profile);
		return;
	}
	if (wait_for_sample(profile))
		return;
	ret = run_limited(profile, refresh_now);
	/* A child that ended before its first refresh has no notifier. */
	if (ret == -ESRCH)
		profil_profile_withdraw_async(profile);
	else
		profil_worker_again(profile, ret == -EUSERS ? -EAGAIN : ret);
}

int profil_worker_init(void)
{
	/* Unbound, because users decide how long a refresh takes. */
	profil_wq = alloc_workqueue("profil", WORKER_FLAGS, WQ_MAX_ACTIVE);
	return profil_wq ? 0 : -ENOMEM;
}

void profil_worker_exit(void)
{
	/* What observers have left may wait for a grace period to be queued. */
	rcu_barrier();
	destroy_workqueue(profil_wq);
}
