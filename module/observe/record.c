// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records in a half: of an image at its first sample and at its end, and of
 * a thread.
 *
 * A process that is never sampled costs no record.
 */
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/timekeeping.h>

#include "observe/observe.h"
#include "profil.h"

#define TID_BITS	22	/* of the highest pid_max */

/**
 * profil_record_cpu_ns() - CPU time of a process, up to its threads' last ticks
 * @signal: the process's
 *
 * Context: inside an RCU read section; not under profil_follow_lock, because
 * the kernel's lock may sleep with RT.
 */
u64 profil_record_cpu_ns(struct signal_struct *signal)
{
	struct task_struct *task;
	unsigned int seq, tries = 2;
	u64 sum;

	/* A thread that exits goes from the list into the sum. */
	do {
		seq = read_seqbegin(&signal->stats_lock);
		sum = signal->sum_sched_runtime;
		list_for_each_entry_rcu(task, &signal->thread_head, thread_node)
			sum += READ_ONCE(task->se.sum_exec_runtime);
	} while (read_seqretry(&signal->stats_lock, seq) && --tries);
	return sum;
}

static void fill_image(struct profil_image *to, struct profil_follow *follow,
		       struct task_struct *task, u32 number)
{
	struct profil_facts *facts = rcu_dereference(follow->facts);
	struct pid_namespace *ns = follow->observer->pid_ns;

	if (facts)
		*to = facts->about;
	else
		memset(to, 0, sizeof(*to));
	to->number = number;
	to->how = follow->how;
	to->parent = follow->parent;
	to->since_ns = follow->since_ns;
	to->pid = task_tgid_nr_ns(task, ns);
	to->ppid = task_tgid_nr_ns(rcu_dereference(task->real_parent), ns);
	to->inner_pid = task_tgid_vnr(task);
	memcpy(to->comm, task->group_leader->comm, sizeof(to->comm));
}

/**
 * profil_record_image() - the image of a process, born now if it is new
 * @follow: of the sampled process
 * @task: the thread
 * @half: the one that this CPU writes
 *
 * Context: interrupts off, inside an RCU read section.
 * Return: its number, or 0 if there is no room for its record in this half.
 */
u32 profil_record_image(struct profil_follow *follow, struct task_struct *task,
			struct profil_half *half)
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
	fill_image(&images[half->nr_images], follow, task, number);
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

	atomic64_add(cpu_ns - follow->cpu_ns, &observer->ended_cpu_ns);
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
		.cpu_ns = cpu_ns - follow->cpu_ns,
	};
}

/* A number that no other thread has or had: when it began, and its tid. */
u64 profil_record_thread_number(const struct task_struct *task)
{
	return ((task->start_time << 2 & ~(BIT_ULL(TID_BITS) - 1)) | task->pid) &
	       ~PROFIL_NODE_KERNEL;
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
	to->number = profil_record_thread_number(task);
	to->cpu_ns = READ_ONCE(task->se.sum_exec_runtime);
	to->image = follow->image;
	to->tid = task_pid_nr_ns(task, follow->observer->pid_ns);
	to->inner_tid = task_pid_vnr(task);
	to->flags = flags;
	memcpy(to->comm, task->comm, sizeof(to->comm));
}
