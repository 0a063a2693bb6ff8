// SPDX-License-Identifier: GPL-2.0-only
/*
 * A dump: what a process asked to have written to a file when it ends.
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

static DEFINE_SPINLOCK(dump_table_lock);
static DEFINE_HASHTABLE(dump_table, 8);
static atomic_t nr_dumps;

static struct profil_dump_file *dump_find(const struct signal_struct *process)
{
	struct profil_dump_file *dump;

	lockdep_assert_held(&dump_table_lock);
	hash_for_each_possible(dump_table, dump, node, (unsigned long)process)
		if (dump->process == process)
			return dump;
	return NULL;
}

/* The table takes over the caller's reference. */
static void dump_insert(struct profil_dump_file *dump)
{
	lockdep_assert_held(&dump_table_lock);
	hash_add(dump_table, &dump->node, (unsigned long)dump->process);
	atomic_inc(&nr_dumps);
}

static void dump_withdraw(struct profil_dump_file *dump)
{
	lockdep_assert_held(&dump_table_lock);
	hash_del(&dump->node);
	atomic_dec(&nr_dumps);
}

/**
 * profil_dump_create() - a dump that nothing knows of yet
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
struct profil_dump_file *profil_dump_create(struct task_struct *task,
					    const struct path *dir,
					    const struct cred *cred,
					    struct pid_namespace *pid_ns, gfp_t gfp)
{
	struct profil_dump_file *dump;

	if (!try_module_get(THIS_MODULE))
		return NULL;
	dump = kzalloc(sizeof(*dump), gfp);
	if (!dump) {
		module_put(THIS_MODULE);
		return NULL;
	}
	profil_ledger_in(PROFIL_LEDGER_DUMPS, 1);

	refcount_set(&dump->ref, 1);
	init_completion(&dump->tried);
	init_waitqueue_head(&dump->wait);
	INIT_DELAYED_WORK(&dump->work, profil_dump_work);
	dump->process = task->signal;
	dump->exec_id = task->self_exec_id;
	dump->dir = *dir;
	path_get(&dump->dir);
	dump->cred = get_cred(cred);
	dump->payer = profil_payer_hash(cred);
	dump->pid_ns = get_pid_ns(pid_ns);
	dump->pid = pid_nr_ns(task_tgid(task), pid_ns);
	mmget(task->mm);
	dump->mm = task->mm;
	return dump;
}

/* Context: process; sleeps. */
void profil_dump_put(struct profil_dump_file *dump)
{
	if (!refcount_dec_and_test(&dump->ref))
		return;
	if (dump->mm)
		mmput(dump->mm);
	path_put(&dump->dir);
	put_cred(dump->cred);
	put_pid_ns(dump->pid_ns);
	mem_cgroup_put(dump->memcg);
	if (dump->reserved)
		profil_dump_reserve_async(-1);
	if (dump->hooked)
		profil_hook_put();
	profil_ledger_out(PROFIL_LEDGER_DUMPS, 1);
	kfree(dump);
	/* profil_dump_exit() waits for the work items. */
	module_put(THIS_MODULE);
}

static struct profil_dump_file *dump_find_and_withdraw(struct task_struct *task)
{
	struct profil_dump_file *dump;

	spin_lock(&dump_table_lock);
	dump = dump_find(task->signal);
	if (dump)
		dump_withdraw(dump);
	spin_unlock(&dump_table_lock);
	return dump;
}

/**
 * profil_dump_at_exit() - a thread ends, and the process if it is the last
 * @task: current
 *
 * Two may each find that they are: one of them has the dump then, and neither
 * is gone for the parent before both are.
 *
 * Context: the tracepoint of exit; does not sleep.
 */
void profil_dump_at_exit(struct task_struct *task)
{
	struct profil_dump_file *dump;

	if (!atomic_read(&nr_dumps) || atomic_read(&task->signal->live))
		return;
	dump = dump_find_and_withdraw(task);
	if (!dump)
		return;
	profil_delay();
	/* An exec that failed too late to go back had ended the program. */
	dump->write = dump->exec_id == task->self_exec_id;
	dump->memcg = profil_compat_get_memcg(task);
	dump->file_limit = rlimit(RLIMIT_FSIZE);
	get_task_comm(dump->comm, task->group_leader);
	profil_dump_finish(dump);
}

/**
 * profil_dump_at_exec() - another program begins: nothing is written
 * @task: current
 *
 * Context: the tracepoint of exec; does not sleep.
 */
void profil_dump_at_exec(struct task_struct *task)
{
	struct profil_dump_file *dump;

	if (!atomic_read(&nr_dumps))
		return;
	dump = dump_find_and_withdraw(task);
	if (dump)
		profil_dump_finish(dump);
}

static void dump_inherit(const struct profil_dump_file *parent,
			 struct task_struct *child)
{
	struct profil_dump_file *dump;

	lockdep_assert_held(&dump_table_lock);
	dump = profil_dump_create(child, &parent->dir, parent->cred,
				  parent->pid_ns, GFP_ATOMIC | __GFP_NOWARN |
				  __GFP_ACCOUNT);
	if (!dump)
		return;
	dump->addr = parent->addr;
	dump->size = parent->size;
	dump->head = parent->head;
	dump->len = parent->len;
	dump->wanted = true;
	complete_all(&dump->tried);
	dump->reserved = true;
	profil_dump_reserve_async(1);
	dump->hooked = profil_hook_get_live();
	if (dump->hooked)
		dump_insert(dump);
	else
		profil_dump_finish(dump);
}

/**
 * profil_dump_at_fork() - the child has a file of its own
 * @parent: current
 * @child: with another mm
 *
 * With no memory for it, it has none.
 *
 * Context: the tracepoint of fork; does not sleep; the child has not run.
 */
void profil_dump_at_fork(struct task_struct *parent, struct task_struct *child)
{
	struct profil_dump_file *dump;

	if (!atomic_read(&nr_dumps))
		return;
	spin_lock(&dump_table_lock);
	dump = dump_find(parent->signal);
	if (dump && dump->wanted)
		dump_inherit(dump, child);
	spin_unlock(&dump_table_lock);
}

/**
 * profil_dump_get() - the calling process's
 *
 * Context: process.
 * Return: a reference for the caller to put, or NULL.
 */
struct profil_dump_file *profil_dump_get(void)
{
	struct profil_dump_file *dump;

	spin_lock(&dump_table_lock);
	dump = dump_find(current->signal);
	if (dump)
		refcount_inc(&dump->ref);
	spin_unlock(&dump_table_lock);
	return dump;
}

/**
 * profil_dump_publish() - make it the calling process's, if there is none
 * @dump: put if there is one
 *
 * Context: process; sleeps.
 * Return: whether it is; then the caller has a reference.
 */
bool profil_dump_publish(struct profil_dump_file *dump)
{
	bool first;

	spin_lock(&dump_table_lock);
	first = !dump_find(current->signal);
	if (first) {
		refcount_inc(&dump->ref);
		dump_insert(dump);
	}
	spin_unlock(&dump_table_lock);
	/* Another thread was faster. */
	if (!first)
		profil_dump_put(dump);
	return first;
}

/**
 * profil_dump_end() - PROFIL_IOC_SET is done
 * @dump: as begun; the reference is given back
 * @request: what it was begun with
 * @wanted: it was successful; if not, nothing has changed
 *
 * Context: process; sleeps.
 */
void profil_dump_end(struct profil_dump_file *dump,
		     const struct profil_dump *request, bool wanted)
{
	bool drop = false;

	spin_lock(&dump_table_lock);
	if (wanted) {
		dump->head = request->head;
		dump->len = request->len;
		WRITE_ONCE(dump->wanted, true);
	} else if (!dump->wanted) {
		/* Of this call alone: the others wait. */
		dump_withdraw(dump);
		drop = true;
	}
	spin_unlock(&dump_table_lock);
	complete_all(&dump->tried);
	if (drop)
		profil_dump_put(dump);
	profil_dump_put(dump);
}
