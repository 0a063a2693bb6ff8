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
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "delay.h"
#include "observe/observe.h"
#include "profil.h"

#define GFP_HOOK	(GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT)
#define FOLLOWED_MAX	32768	/* processes of a user's observers */

static DEFINE_RAW_SPINLOCK(profil_follow_lock);
struct hlist_head profil_follows[1 << PROFIL_FOLLOW_BITS];
static atomic_t followed[PROFIL_PAYERS];

/**
 * profil_follow_next() - the follows of a process
 * @signal: the process's
 * @follow: the one before, or NULL
 *
 * Context: any, inside an RCU read section or under profil_follow_lock.
 */
struct profil_follow *profil_follow_next(const struct signal_struct *signal,
					 struct profil_follow *follow)
{
	struct hlist_node __rcu **from = follow ? &hlist_next_rcu(&follow->node) :
		&hlist_first_rcu(profil_follow_bucket(signal));

	follow = hlist_entry_safe(rcu_dereference_raw(*from),
				  struct profil_follow, node);
	hlist_for_each_entry_from_rcu(follow, node)
		if (follow->signal == signal)
			break;
	return follow;
}

/**
 * profil_follow_rate() - samples a second of all observers of a process
 * @signal: the process's
 *
 * Context: any, inside an RCU read section.
 */
u32 profil_follow_rate(const struct signal_struct *signal)
{
	struct profil_follow *follow = NULL;
	u32 rate_hz = 0;

	while ((follow = profil_follow_next(signal, follow)))
		rate_hz += follow->observer->rate_hz;
	return rate_hz;
}

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
	follow = kzalloc(sizeof(*follow), gfp);
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
	list_add_rcu(&new->sibling, &observer->follows);
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

/*
 * Exec and exit look for follows after they have changed what is looked at
 * here, so that one of the two sees the other.
 */
static bool is_alive(const struct task_struct *task, const struct mm_struct *mm)
{
	/* Pairs with the barriers in exec and exit. */
	smp_mb();
	return atomic_read(&task->signal->live) && READ_ONCE(task->mm) == mm;
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
	struct file *exe;
	int ret;

	follow = follow_create(observer, task->signal, GFP_KERNEL_ACCOUNT);
	if (IS_ERR(follow))
		return PTR_ERR(follow);
	exe = profil_compat_exe_file(mm);
	RCU_INIT_POINTER(follow->facts,
			 profil_facts_create(mm, exe, GFP_KERNEL_ACCOUNT));
	if (exe)
		fput(exe);
	follow->flags = flags;
	follow->how = PROFIL_IMAGE_JOIN;
	rcu_read_lock();
	follow->cpu_ns = profil_record_cpu_ns(task->signal);
	rcu_read_unlock();

	raw_spin_lock_irq(&profil_follow_lock);
	ret = follow_insert(follow);
	profil_delay();
	if (!ret && !is_alive(task, mm)) {
		follow_remove(follow);
		ret = -ESRCH;
	}
	raw_spin_unlock_irq(&profil_follow_lock);
	if (ret)
		follow_free(follow);
	else
		profil_rate_begin(task->signal);
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

/**
 * profil_follow_cpu_ns() - CPU time of all that an observer follows
 * @observer: of the caller's descriptor
 *
 * Context: process.
 */
u64 profil_follow_cpu_ns(struct profil_observer *observer)
{
	u64 sum = atomic64_read(&observer->ended_cpu_ns);
	struct profil_follow *follow;

	rcu_read_lock();
	list_for_each_entry_rcu(follow, &observer->follows, sibling)
		sum += profil_record_cpu_ns(follow->signal) -
		       READ_ONCE(follow->cpu_ns);
	rcu_read_unlock();
	return sum;
}

static void child_is_not_followed(struct profil_observer *observer)
{
	unsigned long flags;

	local_irq_save(flags);
	profil_sample_half(observer)->not_followed++;
	local_irq_restore(flags);
}

static void follow_child(struct profil_follow *parent,
			 struct signal_struct *signal)
{
	struct profil_observer *observer = parent->observer;
	struct profil_follow *child;
	u32 image = READ_ONCE(parent->image);
	unsigned long flags;
	int ret;

	child = follow_create(observer, signal, GFP_HOOK);
	if (IS_ERR(child)) {
		child_is_not_followed(observer);
		return;
	}
	/* Exec, which replaces the facts, is not beside this fork. */
	RCU_INIT_POINTER(child->facts,
			 profil_facts_get(rcu_dereference(parent->facts)));
	child->how = PROFIL_IMAGE_FORK;
	child->parent = image ? image : parent->parent;
	child->may_read = READ_ONCE(parent->may_read);
	profil_delay();
	raw_spin_lock_irqsave(&profil_follow_lock, flags);
	ret = follow_insert(child);
	raw_spin_unlock_irqrestore(&profil_follow_lock, flags);
	if (ret)
		follow_free(child);
}

/* Context: tracepoint of fork; the child has not run. */
void profil_follow_fork(struct task_struct *parent, struct task_struct *task)
{
	struct profil_follow *follow = NULL;

	if (task->signal == parent->signal ||
	    !profil_follow_may(parent->signal))
		return;
	rcu_read_lock();
	while ((follow = profil_follow_next(parent->signal, follow)))
		if (!(follow->flags & PROFIL_JOIN_F_NO_FORK))
			follow_child(follow, task->signal);
	rcu_read_unlock();
}

static void follow_exec(struct profil_follow *follow,
			struct profil_facts *facts, u64 cpu_ns, bool secure)
{
	struct profil_facts *old;

	lockdep_assert_held(&profil_follow_lock);
	profil_record_end(follow, cpu_ns, PROFIL_END_EXEC);
	if (secure) {
		profil_sample_half(follow->observer)->left++;
		follow_remove(follow);
		follow_free(follow);
		return;
	}
	old = rcu_dereference_protected(follow->facts,
					lockdep_is_held(&profil_follow_lock));
	rcu_assign_pointer(follow->facts, profil_facts_get(facts));
	profil_facts_put(old);
	if (follow->image)
		follow->parent = follow->image;
	follow->how = PROFIL_IMAGE_EXEC;
	follow->since_ns = ktime_get_ns();
	WRITE_ONCE(follow->cpu_ns, cpu_ns);
	WRITE_ONCE(follow->image, 0);
}

/* Context: tracepoint of exec; the process has one thread. */
void profil_follow_exec(struct task_struct *task,
			const struct linux_binprm *bprm)
{
	struct profil_follow *follow = NULL;
	struct profil_facts *facts;
	unsigned long flags;
	u64 cpu_ns;

	/* Pairs with the barrier in is_alive(). */
	smp_mb();
	if (!profil_follow_may(task->signal))
		return;
	facts = profil_facts_create(task->mm, bprm->file, GFP_HOOK);
	rcu_read_lock();
	cpu_ns = profil_record_cpu_ns(task->signal);
	raw_spin_lock_irqsave(&profil_follow_lock, flags);
	while ((follow = profil_follow_next(task->signal, follow)))
		follow_exec(follow, facts, cpu_ns, bprm->secureexec);
	raw_spin_unlock_irqrestore(&profil_follow_lock, flags);
	rcu_read_unlock();
	profil_facts_put(facts);
}

static void follow_exit(struct profil_follow *follow, struct task_struct *task,
			u64 cpu_ns)
{
	struct signal_struct *signal = task->signal;

	lockdep_assert_held(&profil_follow_lock);
	if (follow->observer->flags & PROFIL_OBSERVE_F_THREADS && follow->image)
		profil_record_thread(follow, task,
				     profil_sample_half(follow->observer),
				     PROFIL_THREAD_F_ENDED);
	if (atomic_read(&signal->live))
		return;
	profil_record_end(follow, cpu_ns,
			  signal->group_exit_code ? : task->exit_code);
	follow_remove(follow);
	follow_free(follow);
}

/* Context: tracepoint of exit. */
void profil_follow_exit(struct task_struct *task)
{
	struct profil_follow *follow = NULL;
	unsigned long flags;
	u64 cpu_ns;

	/* Pairs with the barrier in is_alive(). */
	smp_mb();
	if (!profil_follow_may(task->signal))
		return;
	rcu_read_lock();
	cpu_ns = profil_record_cpu_ns(task->signal);
	raw_spin_lock_irqsave(&profil_follow_lock, flags);
	while ((follow = profil_follow_next(task->signal, follow)))
		follow_exit(follow, task, cpu_ns);
	raw_spin_unlock_irqrestore(&profil_follow_lock, flags);
	rcu_read_unlock();
}
