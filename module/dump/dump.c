// SPDX-License-Identifier: GPL-2.0-only
/*
 * A gmon: what a process asked to have written to a file when it ends.
 *
 * It belongs to a process, all of its threads, and ends with it, or with exec.
 * It holds mm_users, not only mm_count: the mm survives the last exit_mm()
 * whether or not ps or gdb also holds it, and a forked child needs nothing for
 * it that would sleep.  dump_exit.c says how the exit gives the mm up.
 *
 * References: the table's, which becomes the exit's; and those of callers.
 */
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/path.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "delay.h"
#include "dump/dump.h"
#include "profil.h"

static DEFINE_SPINLOCK(profil_gmon_lock);
static DEFINE_HASHTABLE(gmons, 8);
static atomic_t nr_gmons;

static struct profil_gmon *find(const struct signal_struct *process)
{
	struct profil_gmon *gmon;

	lockdep_assert_held(&profil_gmon_lock);
	hash_for_each_possible(gmons, gmon, node, (unsigned long)process)
		if (gmon->process == process)
			return gmon;
	return NULL;
}

/* The table takes over the caller's reference. */
static void insert(struct profil_gmon *gmon)
{
	lockdep_assert_held(&profil_gmon_lock);
	hash_add(gmons, &gmon->node, (unsigned long)gmon->process);
	atomic_inc(&nr_gmons);
}

static void withdraw(struct profil_gmon *gmon)
{
	lockdep_assert_held(&profil_gmon_lock);
	hash_del(&gmon->node);
	atomic_dec(&nr_gmons);
}

/**
 * profil_gmon_create() - a gmon that nothing knows of yet
 * @task: a thread of its process
 * @dir: where its file goes
 * @cred: with whose rights
 * @pid_ns: in which the pid in the file's name is one
 * @gfp: GFP_KERNEL_ACCOUNT, or what the context allows
 *
 * Holds references of its own to all of them.
 *
 * Context: any in which @gfp may be used.
 * Return: NULL if there is no memory or the module is going away.
 */
struct profil_gmon *profil_gmon_create(struct task_struct *task,
				       const struct path *dir,
				       const struct cred *cred,
				       struct pid_namespace *pid_ns, gfp_t gfp)
{
	struct profil_gmon *gmon;

	if (!try_module_get(THIS_MODULE))
		return NULL;
	gmon = kzalloc(sizeof(*gmon), gfp);
	if (!gmon) {
		module_put(THIS_MODULE);
		return NULL;
	}
	profil_ledger_in(PROFIL_LEDGER_GMONS, 1);

	refcount_set(&gmon->ref, 1);
	init_completion(&gmon->tried);
	init_waitqueue_head(&gmon->wait);
	INIT_DELAYED_WORK(&gmon->work, profil_dump_work);
	gmon->process = task->signal;
	gmon->exec_id = task->self_exec_id;
	gmon->dir = *dir;
	path_get(&gmon->dir);
	gmon->cred = get_cred(cred);
	gmon->payer = profil_payer_hash(cred);
	gmon->pid_ns = get_pid_ns(pid_ns);
	gmon->pid = pid_nr_ns(task_tgid(task), pid_ns);
	mmget(task->mm);
	gmon->mm = task->mm;
	return gmon;
}

/* Context: process; sleeps. */
void profil_gmon_put(struct profil_gmon *gmon)
{
	if (!refcount_dec_and_test(&gmon->ref))
		return;
	if (gmon->mm)
		mmput(gmon->mm);
	path_put(&gmon->dir);
	put_cred(gmon->cred);
	put_pid_ns(gmon->pid_ns);
	mem_cgroup_put(gmon->memcg);
	if (gmon->reserved)
		profil_dump_reserve_async(-1);
	if (gmon->hooked)
		profil_hook_put();
	profil_ledger_out(PROFIL_LEDGER_GMONS, 1);
	kfree(gmon);
	/* profil_dump_exit() waits for the work items. */
	module_put(THIS_MODULE);
}

static struct profil_gmon *find_and_withdraw(struct task_struct *task)
{
	struct profil_gmon *gmon;

	spin_lock(&profil_gmon_lock);
	gmon = find(task->signal);
	if (gmon)
		withdraw(gmon);
	spin_unlock(&profil_gmon_lock);
	return gmon;
}

/**
 * profil_gmon_exit() - a thread ends, and the process if it is the last
 * @task: current
 *
 * Two may each find that they are: one of them has the gmon then, and neither
 * is gone for the parent before both are.
 *
 * Context: the tracepoint of exit; does not sleep.
 */
void profil_gmon_exit(struct task_struct *task)
{
	struct profil_gmon *gmon;

	if (!atomic_read(&nr_gmons) || atomic_read(&task->signal->live))
		return;
	gmon = find_and_withdraw(task);
	if (!gmon)
		return;
	profil_delay();
	/* An exec that failed too late to go back had ended the program. */
	gmon->write = gmon->exec_id == task->self_exec_id;
	gmon->memcg = profil_compat_get_memcg(task);
	gmon->file_limit = rlimit(RLIMIT_FSIZE);
	get_task_comm(gmon->comm, task->group_leader);
	profil_dump_finish(gmon);
}

/**
 * profil_gmon_exec() - another program begins: nothing is written
 * @task: current
 *
 * Context: the tracepoint of exec; does not sleep.
 */
void profil_gmon_exec(struct task_struct *task)
{
	struct profil_gmon *gmon;

	if (!atomic_read(&nr_gmons))
		return;
	gmon = find_and_withdraw(task);
	if (gmon)
		profil_dump_finish(gmon);
}

static void inherit(const struct profil_gmon *parent, struct task_struct *child)
{
	struct profil_gmon *gmon;

	lockdep_assert_held(&profil_gmon_lock);
	gmon = profil_gmon_create(child, &parent->dir, parent->cred,
				  parent->pid_ns, GFP_ATOMIC | __GFP_NOWARN |
				  __GFP_ACCOUNT);
	if (!gmon)
		return;
	gmon->addr = parent->addr;
	gmon->size = parent->size;
	gmon->head = parent->head;
	gmon->len = parent->len;
	gmon->wanted = true;
	complete_all(&gmon->tried);
	gmon->reserved = true;
	profil_dump_reserve_async(1);
	gmon->hooked = profil_hook_get_live();
	if (gmon->hooked)
		insert(gmon);
	else
		profil_dump_finish(gmon);
}

/**
 * profil_gmon_fork() - the child has a file of its own
 * @parent: current
 * @child: with another mm
 *
 * With no memory for it, it has none.
 *
 * Context: the tracepoint of fork; does not sleep; the child has not run.
 */
void profil_gmon_fork(struct task_struct *parent, struct task_struct *child)
{
	struct profil_gmon *gmon;

	if (!atomic_read(&nr_gmons))
		return;
	spin_lock(&profil_gmon_lock);
	gmon = find(parent->signal);
	if (gmon && gmon->wanted)
		inherit(gmon, child);
	spin_unlock(&profil_gmon_lock);
}

/**
 * profil_gmon_get() - the calling process's
 *
 * Context: process.
 * Return: a reference for the caller to put, or NULL.
 */
struct profil_gmon *profil_gmon_get(void)
{
	struct profil_gmon *gmon;

	spin_lock(&profil_gmon_lock);
	gmon = find(current->signal);
	if (gmon)
		refcount_inc(&gmon->ref);
	spin_unlock(&profil_gmon_lock);
	return gmon;
}

/**
 * profil_gmon_publish() - make it the calling process's, if there is none
 * @gmon: put if there is one
 *
 * Context: process; sleeps.
 * Return: whether it is; then the caller has a reference.
 */
bool profil_gmon_publish(struct profil_gmon *gmon)
{
	bool first;

	spin_lock(&profil_gmon_lock);
	first = !find(current->signal);
	if (first) {
		refcount_inc(&gmon->ref);
		insert(gmon);
	}
	spin_unlock(&profil_gmon_lock);
	/* Another thread was faster. */
	if (!first)
		profil_gmon_put(gmon);
	return first;
}

/**
 * profil_gmon_end() - PROFIL_IOC_SET is done
 * @gmon: as begun; the reference is given back
 * @dump: what it was begun with
 * @wanted: it was successful; if not, nothing has changed
 *
 * Context: process; sleeps.
 */
void profil_gmon_end(struct profil_gmon *gmon, const struct profil_dump *dump,
		     bool wanted)
{
	bool drop = false;

	spin_lock(&profil_gmon_lock);
	if (wanted) {
		gmon->head = dump->head;
		gmon->len = dump->len;
		WRITE_ONCE(gmon->wanted, true);
	} else if (!gmon->wanted) {
		/* Of this call alone: the others wait. */
		withdraw(gmon);
		drop = true;
	}
	spin_unlock(&profil_gmon_lock);
	complete_all(&gmon->tried);
	if (drop)
		profil_gmon_put(gmon);
	profil_gmon_put(gmon);
}
