// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records in a half: of an image at its first sample and at its end, and of
 * a thread.
 *
 * A process that is never sampled costs no record.
 */
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/timekeeping.h>

#include "observe/observe.h"
#include "profil.h"

#define TID_BITS	22	/* of the highest pid_max */
#define LATE_MAX	256	/* threads that the last one looks at */

static u64 sum_followed(struct profil_observer *observer)
{
	struct profil_follow *follow;
	u64 sum = 0, begin, now;

	rcu_read_lock();
	list_for_each_entry_rcu(follow, &observer->follows, sibling) {
		begin = READ_ONCE(follow->cpu_ns);
		/* Exec sets it to a CPU time that is past by then. */
		smp_rmb();
		/* JOIN and exec may have added time since a tick to the begin. */
		now = profil_cputime_process(follow->signal);
		if (now > begin)
			sum += now - begin;
	}
	rcu_read_unlock();
	return sum;
}

/**
 * profil_record_followed_ns() - CPU time of all that an observer follows
 * @observer: of the caller's descriptor
 *
 * Context: process.
 */
u64 profil_record_followed_ns(struct profil_observer *observer)
{
	unsigned int seq, tries = 8;
	u64 sum;

	/* What ends goes from the list into the sum. */
	do {
		seq = read_seqcount_begin(&observer->ends);
		sum = atomic64_read(&observer->ended_cpu_ns) +
		      sum_followed(observer);
	} while (read_seqcount_retry(&observer->ends, seq) && --tries);
	return sum;
}

/*
 * By the process's pid: a thread that has ended has no pid, and may outlive its
 * leader and its parent.
 */
static void fill_process(struct profil_image *to,
			 struct signal_struct *signal,
			 struct pid_namespace *ns)
{
	struct pid *pid = READ_ONCE(signal->pids[PIDTYPE_TGID]);
	struct task_struct *leader = pid_task(pid, PIDTYPE_TGID);

	if (!leader)
		return;
	to->pid = pid_nr_ns(pid, ns);
	to->ppid = task_tgid_nr_ns(rcu_dereference(leader->real_parent), ns);
	to->inner_pid = pid->numbers[pid->level].nr;
	memcpy(to->comm, leader->comm, sizeof(to->comm));
}

static void fill_image(struct profil_image *to, struct profil_follow *follow,
		       u32 number)
{
	struct profil_facts *facts;

	rcu_read_lock();
	facts = rcu_dereference(follow->facts);
	memset(to, 0, sizeof(*to));
	if (facts)
		memcpy(to, &facts->about, facts->used);
	else
		to->flags = PROFIL_IMAGE_F_NO_MEMORY;
	to->number = number;
	to->how = follow->how;
	to->parent = follow->parent;
	to->since_ns = follow->since_ns;
	fill_process(to, follow->signal, follow->observer->pid_ns);
	rcu_read_unlock();
}

/**
 * profil_record_image() - the image of a process, born now if it is new
 * @follow: of the sampled process
 * @half: the one that this CPU writes
 *
 * Context: interrupts off, inside an RCU read section.
 * Return: its number, or 0 if there is no room for its record in this half.
 */
u32 profil_record_image(struct profil_follow *follow, struct profil_half *half)
{
	struct profil_observer *observer = follow->observer;
	const struct profil_map *map = observer->table.map;
	struct profil_image *images = (void *)half + map->images_at;
	u32 number = READ_ONCE(follow->image);
	u32 other;

	if (number)
		return number;
	if (half->nr_images >= map->images)
		return 0;
	number = atomic_inc_return(&observer->images) & ~PROFIL_NODE_IMAGE;
	fill_image(&images[half->nr_images], follow, number);
	/* Another CPU may have been first, and then the record is not used. */
	other = cmpxchg(&follow->image, 0, number);
	if (other)
		return other;
	half->nr_images++;
	irq_work_queue(&observer->wake);
	return number;
}

/**
 * profil_record_end() - tell of the end of an image
 * @follow: of the process
 * @cpu_ns: CPU time of the process by now
 * @status: see struct profil_end
 *
 * Context: interrupts off.
 */
void profil_record_end(struct profil_follow *follow, u64 cpu_ns, s32 status)
{
	struct profil_observer *observer = follow->observer;
	const struct profil_map *map = observer->table.map;
	struct profil_half *half;
	struct profil_end *ends;

	/* The begin may have time that the kernel dropped when its thread ended. */
	cpu_ns -= min(cpu_ns, follow->cpu_ns);
	atomic64_add(cpu_ns, &observer->ended_cpu_ns);
	if (!follow->image)
		return;
	half = profil_sample_half(observer);
	ends = (void *)half + map->ends_at;
	if (half->nr_ends >= map->ends) {
		half->untold++;
		return;
	}
	ends[half->nr_ends++] = (struct profil_end){
		.image = follow->image,
		.status = status,
		.end_ns = ktime_get_ns(),
		.cpu_ns = cpu_ns,
	};
}

/*
 * As wait() has it: which thread decides differs between kernels.
 *
 * Context: exit of the last thread.
 */
s32 profil_record_status(const struct task_struct *task)
{
	const struct signal_struct *signal = task->signal;

	return signal->flags & SIGNAL_GROUP_EXIT ?
	       signal->group_exit_code : task->group_leader->exit_code;
}

/*
 * A number that no other thread has or had: when it began, and its tid.  That is
 * scrambled, because it is of the first pid namespace, which may not be the
 * observer's.  The secret is odd, so that two tids do not become one.
 */
u64 profil_record_thread_number(const struct profil_follow *follow,
				const struct task_struct *task)
{
	u64 mask = BIT_ULL(TID_BITS) - 1;
	u64 tid = task->pid * follow->observer->table.tid_secret & mask;

	return ((task->start_time << 2 & ~mask) | tid) & ~PROFIL_NODE_KERNEL;
}

/**
 * profil_record_thread() - tell of a thread
 * @follow: of its process
 * @task: the thread
 * @half: the one that this CPU writes
 * @flags: PROFIL_THREAD_F_*
 *
 * Context: interrupts off, inside an RCU read section.
 */
void profil_record_thread(struct profil_follow *follow,
			  struct task_struct *task, struct profil_half *half,
			  u32 flags)
{
	const struct profil_map *map = follow->observer->table.map;
	struct profil_thread *to = (void *)half + map->threads_at;

	if (half->nr_threads >= map->threads) {
		half->untold++;
		return;
	}
	to += half->nr_threads++;
	to->number = profil_record_thread_number(follow, task);
	to->cpu_ns = profil_cputime_thread(task);
	to->image = follow->image;
	to->tid = task_pid_nr_ns(task, follow->observer->pid_ns);
	to->inner_tid = task_pid_vnr(task);
	to->flags = flags;
	memcpy(to->comm, task->comm, sizeof(to->comm));
}

/**
 * profil_record_thread_end() - tell of a thread that ends, if the observer asks
 * @follow: of its process
 * @task: the thread
 * @last: no thread of the process is alive
 *
 * A thread leaves the count of the living some time before it comes here, so that
 * others may come behind the one that finds itself the last.  They are told of with
 * it, because the follow ends then.  A program can have very many such threads, and
 * zombies that it traces, so the look at them has a limit.
 *
 * Context: exit of the thread; interrupts off, inside an RCU read section.
 */
void profil_record_thread_end(struct profil_follow *follow,
			      struct task_struct *task, bool last)
{
	struct profil_half *half;
	struct task_struct *other;
	int left = LATE_MAX;

	if (!(follow->observer->flags & PROFIL_OBSERVE_F_THREADS) ||
	    !follow->image)
		return;
	half = profil_sample_half(follow->observer);
	profil_record_thread(follow, task, half, PROFIL_THREAD_F_ENDED);
	if (!last)
		return;
	for_each_thread(task, other) {
		if (!left--) {
			half->untold++;
			return;
		}
		if (other != task && !READ_ONCE(other->exit_state))
			profil_record_thread(follow, other, half,
					     PROFIL_THREAD_F_ENDED);
	}
}
