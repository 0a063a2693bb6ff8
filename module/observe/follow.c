// SPDX-License-Identifier: GPL-2.0-only
/*
 * The followed processes, found by their signal_struct: it is one for all
 * threads, stays over exec, and is a forked child's own even after vfork().
 *
 * A follow dies when its process ends, by a set-user-ID exec, or with its
 * observer.  It is freed a grace period later, and so is the observer: a sample
 * that found a follow may use both.
 */
#include <linux/binfmts.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "delay.h"
#include "observe/observe.h"
#include "profile/rated.h"
#include "profil.h"

#define GFP_HOOK	(GFP_ATOMIC | __GFP_NOWARN)
#define FOLLOWED_MAX	32768	/* processes of a user's observers */

static DEFINE_RAW_SPINLOCK(profil_follow_lock);
struct hlist_head profil_follows[1 << PROFIL_FOLLOW_BITS];
static atomic_t followed[PROFIL_PAYERS];

/* A follow that no list has yet; undone by follow_free(). */
static struct profil_follow *follow_create(struct profil_observer *observer,
					   struct signal_struct *signal,
					   gfp_t gfp)
{
	atomic_t *used = &followed[observer->payer];
	struct profil_follow *follow;
	struct mem_cgroup *old;

	if (!atomic_add_unless(used, 1, FOLLOWED_MAX))
		return ERR_PTR(-EAGAIN);
	/* The observer pays, and not the process. */
	old = set_active_memcg(observer->memcg);
	follow = kzalloc(sizeof(*follow), gfp | __GFP_ACCOUNT);
	set_active_memcg(old);
	if (!follow) {
		atomic_dec(used);
		return ERR_PTR(-ENOMEM);
	}
	profil_ledger_in(PROFIL_LEDGER_FOLLOWS, 1);
	follow->observer = observer;
	follow->signal = signal;
	follow->since_ns = ktime_get_ns();
	return follow;
}

static void follow_free(struct profil_follow *follow)
{
	atomic_dec(&followed[follow->observer->payer]);
	profil_facts_put(rcu_dereference_protected(follow->facts, true));
	profil_maps_put(rcu_dereference_protected(follow->maps, true));
	kfree_rcu(follow, rcu);
	profil_ledger_out(PROFIL_LEDGER_FOLLOWS, 1);
}

static int follow_insert(struct profil_follow *new)
{
	struct profil_observer *observer = new->observer;
	struct profil_follow *follow = NULL;
	int nr = 0;

	lockdep_assert_held(&profil_follow_lock);
	if (observer->closed)
		return -ESRCH;
	while ((follow = profil_follow_next(new->signal, follow))) {
		if (follow->observer == observer)
			return -EALREADY;
		if (++nr == PROFIL_OBSERVERS_MAX)
			return -EBUSY;
	}
	hlist_add_head_rcu(&new->node, profil_follow_bucket(new->signal));
	/* SWAP reads the signal_struct of these.  Exit keeps it for long enough. */
	list_add_rcu(&new->sibling, &observer->follows);
	WRITE_ONCE(observer->added, observer->added + 1);
	atomic_inc(&observer->nr_followed);
	return 0;
}

static void follow_remove(struct profil_follow *follow)
{
	struct profil_observer *observer = follow->observer;

	lockdep_assert_held(&profil_follow_lock);
	hlist_del_rcu(&follow->node);
	list_del_rcu(&follow->sibling);
	if (atomic_dec_and_test(&observer->nr_followed))
		irq_work_queue(&observer->wake);
}

/* The process that a JOIN adds.  Written under profil_follow_lock. */
static const struct signal_struct *joining;

/*
 * Exec and exit change what is looked at here before they look for follows, so
 * that one of the two sees the other.  -ERESTART: the facts are known only now.
 */
static int follow_add(struct profil_follow *follow, struct profil_facts *facts,
		      struct task_struct *task, struct mm_struct *mm)
{
	int ret;

	lockdep_assert_held(&profil_follow_lock);
	/* Pairs with the barrier in follow_may_be(). */
	smp_store_mb(joining, task->signal);
	profil_delay();
	if (!atomic_read(&task->signal->live) || READ_ONCE(task->mm) != mm)
		ret = -ESRCH;
	else if (profil_facts_are_old(facts, mm))
		ret = -ERESTART;
	else
		ret = follow_insert(follow);
	/* Pairs with the acquire in follow_may_be(), which then sees the follow. */
	smp_store_release(&joining, NULL);
	return ret;
}

/* Exec and exit wait here for a JOIN of the process.  False for nearly all. */
static bool follow_may_be(const struct signal_struct *signal)
{
	unsigned long flags;

	/* Pairs with the barrier in follow_add(). */
	smp_mb();
	/* Pairs with the release there. */
	if (likely(smp_load_acquire(&joining) != signal))
		return profil_follow_may(signal);
	raw_spin_lock_irqsave(&profil_follow_lock, flags);
	raw_spin_unlock_irqrestore(&profil_follow_lock, flags);
	return profil_follow_may(signal);
}

/**
 * profil_follow_join() - follow a process
 * @observer: of the caller's descriptor
 * @task: a thread of it; referenced, or current
 * @mm: its address space, with users
 * @flags: PROFIL_JOIN_F_*
 *
 * Context: process; sleeps.
 * Return: 0, -ESRCH, -EALREADY, -EBUSY, -EAGAIN, -ENOMEM.
 */
int profil_follow_join(struct profil_observer *observer,
		       struct task_struct *task, struct mm_struct *mm,
		       u32 flags)
{
	struct profil_follow *follow;
	struct profil_facts *facts;
	int ret;

	profil_rate_tell_all();
retry:
	follow = follow_create(observer, task->signal, GFP_KERNEL);
	if (IS_ERR(follow))
		return PTR_ERR(follow);
	facts = profil_facts_of(observer, mm);
	if (!facts) {
		follow_free(follow);
		return -ENOMEM;
	}
	RCU_INIT_POINTER(follow->facts, facts);
	follow->flags = flags;
	follow->how = PROFIL_IMAGE_JOIN;
	rcu_read_lock();
	follow->cpu_ns = profil_cputime_process(task->signal);
	profil_sample_may_read(follow, task, mm);
	rcu_read_unlock();
	profil_delay();

	raw_spin_lock_irq(&profil_follow_lock);
	ret = follow_add(follow, facts, task, mm);
	raw_spin_unlock_irq(&profil_follow_lock);
	if (ret)
		follow_free(follow);
	else
		profil_rate_begin(task->signal, NULL);
	if (ret == -ERESTART)
		goto retry;
	return ret;
}

/**
 * profil_follow_close() - end all follows of an observer
 * @observer: its descriptor is being closed
 *
 * Context: process.
 */
void profil_follow_close(struct profil_observer *observer)
{
	struct profil_follow *follow;

	do {
		raw_spin_lock_irq(&profil_follow_lock);
		observer->closed = true;
		follow = list_first_entry_or_null(&observer->follows,
						  struct profil_follow, sibling);
		if (follow)
			follow_remove(follow);
		raw_spin_unlock_irq(&profil_follow_lock);
		if (follow)
			follow_free(follow);
		cond_resched();
	} while (follow);
}

static void child_is_not_followed(struct profil_observer *observer)
{
	unsigned long flags;

	local_irq_save(flags);
	profil_sample_half(observer)->not_followed++;
	local_irq_restore(flags);
}

static void follow_child(struct profil_follow *parent, struct task_struct *task)
{
	struct profil_observer *observer = parent->observer;
	struct profil_follow *child;
	u32 image = READ_ONCE(parent->image);
	unsigned long flags;
	int ret;

	child = follow_create(observer, task->signal, GFP_HOOK);
	if (IS_ERR(child)) {
		child_is_not_followed(observer);
		return;
	}
	/* Exec, which replaces the facts, is not beside this fork. */
	RCU_INIT_POINTER(child->facts,
			 profil_facts_get(rcu_dereference(parent->facts)));
	RCU_INIT_POINTER(child->maps,
			 profil_maps_get(rcu_dereference(parent->maps)));
	child->how = PROFIL_IMAGE_FORK;
	child->parent = image ? image : parent->parent;
	profil_sample_may_read(child, task, task->mm);
	profil_delay();
	raw_spin_lock_irqsave(&profil_follow_lock, flags);
	ret = follow_insert(child);
	raw_spin_unlock_irqrestore(&profil_follow_lock, flags);
	if (ret)
		follow_free(child);
}

/* Context: tracepoint of fork; the child has not run. */
void profil_follow_fork(void *data, struct task_struct *parent,
			struct task_struct *task)
{
	struct profil_follow *follow = NULL;

	if (task->signal == parent->signal ||
	    !profil_follow_may(parent->signal))
		return;
	rcu_read_lock();
	while ((follow = profil_follow_next(parent->signal, follow)))
		if (!(follow->flags & PROFIL_JOIN_F_NO_FORK))
			follow_child(follow, task);
	rcu_read_unlock();
}

/* Passes the reference to the maps. */
static void follow_replace_maps(struct profil_follow *follow,
				struct profil_maps *maps)
{
	lockdep_assert_held(&profil_follow_lock);
	profil_maps_put(rcu_replace_pointer(follow->maps, maps, true));
}

/* 0, or -ESRCH if the image has ended.  Context: process, inside RCU. */
int profil_follow_set_maps(struct profil_follow *follow, u32 image,
			   struct profil_maps *maps)
{
	struct profil_follow *other = NULL;
	int ret = -ESRCH;

	raw_spin_lock_irq(&profil_follow_lock);
	while (ret && (other = profil_follow_next(follow->signal, other)))
		if (other == follow && follow->image == image)
			ret = 0;
	if (!ret)
		follow_replace_maps(follow, maps);
	raw_spin_unlock_irq(&profil_follow_lock);
	return ret;
}

static void follow_end(struct profil_follow *follow, u64 cpu_ns, s32 status)
{
	struct profil_observer *observer = follow->observer;

	write_seqcount_begin(&observer->ends);
	profil_record_end(follow, cpu_ns, status);
	follow_remove(follow);
	write_seqcount_end(&observer->ends);
	follow_free(follow);
}

static void follow_exec(struct profil_follow *follow, struct task_struct *task,
			struct profil_facts *facts, u64 cpu_ns, bool secure)
{
	struct profil_facts *old;

	lockdep_assert_held(&profil_follow_lock);
	if (secure) {
		profil_sample_half(follow->observer)->left++;
		follow_end(follow, cpu_ns, PROFIL_END_EXEC);
		return;
	}
	write_seqcount_begin(&follow->observer->ends);
	profil_record_end(follow, cpu_ns, PROFIL_END_EXEC);
	WRITE_ONCE(follow->cpu_ns, cpu_ns);
	write_seqcount_end(&follow->observer->ends);
	old = rcu_dereference_protected(follow->facts,
					lockdep_is_held(&profil_follow_lock));
	rcu_assign_pointer(follow->facts, profil_facts_get(facts));
	profil_facts_put(old);
	follow_replace_maps(follow, NULL);
	if (follow->image)
		follow->parent = follow->image;
	profil_sample_may_read(follow, task, task->mm);
	follow->how = PROFIL_IMAGE_EXEC;
	follow->since_ns = ktime_get_ns();
	WRITE_ONCE(follow->image, 0);
}

/* Context: tracepoint of exec; the process has one thread. */
void profil_follow_exec(void *data, struct task_struct *task, pid_t old_pid,
			struct linux_binprm *bprm)
{
	struct profil_follow *follow;
	struct profil_facts *facts;
	unsigned long flags;
	u64 cpu_ns;

	if (!follow_may_be(task->signal))
		return;
	rcu_read_lock();
	follow = profil_follow_next(task->signal, NULL);
	if (!follow)
		goto out;
	/* The observers share the facts, and one of them pays. */
	facts = profil_facts_create(follow->observer, task->mm, bprm->file,
				    GFP_HOOK);
	follow = NULL;
	cpu_ns = profil_cputime_process(task->signal);
	profil_rate_tell(NULL);
	raw_spin_lock_irqsave(&profil_follow_lock, flags);
	while ((follow = profil_follow_next(task->signal, follow)))
		follow_exec(follow, task, facts, cpu_ns, bprm->secureexec);
	raw_spin_unlock_irqrestore(&profil_follow_lock, flags);
	profil_facts_put(facts);
out:
	rcu_read_unlock();
}

static void follow_exit(struct profil_follow *follow, struct task_struct *task,
			bool last, u64 cpu_ns)
{
	lockdep_assert_held(&profil_follow_lock);
	profil_record_thread_end(follow, task, last);
	if (last)
		follow_end(follow, cpu_ns, profil_record_status(task));
}

static void follow_all_exit(struct task_struct *task)
{
	struct profil_follow *follow = NULL;
	bool last = !atomic_read(&task->signal->live);
	unsigned long flags;
	u64 cpu_ns = 0;

	rcu_read_lock();
	/* The sum is over all threads, so not each that ends asks for it. */
	if (last)
		cpu_ns = profil_cputime_process(task->signal);
	raw_spin_lock_irqsave(&profil_follow_lock, flags);
	while ((follow = profil_follow_next(task->signal, follow)))
		follow_exit(follow, task, last, cpu_ns);
	raw_spin_unlock_irqrestore(&profil_follow_lock, flags);
	rcu_read_unlock();
}

/* Context: tracepoint of exit. */
PROFIL_EXIT_PROBE(profil_follow_exit)
{
	bool followed = follow_may_be(task->signal);

	/* Before 6.16 a rated profile's thread has left its memory by now. */
	if (followed || profil_rated_may(task))
		profil_rate_tell(NULL);
	if (followed)
		follow_all_exit(task);
}
