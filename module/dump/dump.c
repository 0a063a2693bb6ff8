// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of dumps, by process.
 *
 * A dump holds mm_users, not only mm_count: the mm survives the last exit_mm()
 * whether or not ps or gdb also holds it.  exit.c says when it is given up.
 *
 * References: the table's, which passes to the exit; and those of callers.
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

/* The caller's reference passes to the table. */
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
 * profil_dump_create() - create a dump that is in no table yet
 * @task: a thread of its process
 * @dir: the directory of its file
 * @cred: the rights with which the file is written
 * @pid_ns: the namespace of the pid in the file's name
 * @gfp: GFP_KERNEL_ACCOUNT, or what the context allows
 *
 * The dump has references of its own to all of these, and takes over a use of the
 * hooks.
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
	profil_dump_reserve(1);

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
	profil_dump_reserve(-1);
	profil_hook_put(PROFIL_HOOKS);
	profil_ledger_out(PROFIL_LEDGER_DUMPS, 1);
	kfree(dump);
	/* profil_dump_exit() waits for the work items. */
	module_put(THIS_MODULE);
}

static struct profil_dump_file *dump_find_and_withdraw(struct task_struct *task)
{
	struct profil_dump_file *dump;

	if (!atomic_read(&nr_dumps))
		return NULL;
	spin_lock(&dump_table_lock);
	dump = dump_find(task->signal);
	if (dump)
		dump_withdraw(dump);
	spin_unlock(&dump_table_lock);
	return dump;
}

/**
 * profil_dump_at_exit() - begin to write the dump if the last thread exits
 * @task: current
 *
 * Two threads may each find that they are the last.  One of them withdraws the
 * dump, and the parent is told after both have exited.
 *
 * Context: exit's tracepoint; does not sleep.
 */
void profil_dump_at_exit(struct task_struct *task)
{
	struct profil_dump_file *dump;

	if (atomic_read(&task->signal->live))
		return;
	dump = dump_find_and_withdraw(task);
	if (!dump)
		return;
	profil_delay();
	/* The program has gone if exec failed after the point of no return. */
	dump->write = dump->exec_id == task->self_exec_id;
	dump->memcg = profil_compat_get_memcg(task);
	dump->file_limit = rlimit(RLIMIT_FSIZE);
	get_task_comm(dump->comm, task->group_leader);
	profil_dump_finish(dump);
}

/**
 * profil_dump_at_exec() - drop the dump of the program that ends
 * @task: current
 *
 * Context: exec's tracepoint; does not sleep.
 */
void profil_dump_at_exec(struct task_struct *task)
{
	struct profil_dump_file *dump = dump_find_and_withdraw(task);

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
	/* It succeeds, because the parent's dump has a use. */
	profil_hook_get(PROFIL_HOOKS, false);
	dump_insert(dump);
}

/**
 * profil_dump_at_fork() - give the child a dump of its own
 * @parent: current
 * @child: with another mm
 *
 * Without memory for it the child has no dump.
 *
 * Context: fork's tracepoint; does not sleep; the child has not run.
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
 * profil_dump_get() - get the dump of the calling process
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
 * profil_dump_publish() - insert the calling process's dump
 * @dump: put if the process has a dump already
 *
 * Context: process; sleeps.
 * Return: true if it was inserted; the caller has a reference then.
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
	/* Another thread published one first. */
	if (!first)
		profil_dump_put(dump);
	return first;
}

/**
 * profil_dump_end() - end what profil_request_begin() began
 * @dump: the caller's reference is put
 * @request: that of profil_request_begin()
 * @wanted: PROFIL_IOC_SET was successful; if not, nothing changes
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
		/* This call published it, and others wait for this one. */
		dump_withdraw(dump);
		drop = true;
	}
	spin_unlock(&dump_table_lock);
	complete_all(&dump->tried);
	if (drop)
		profil_dump_put(dump);
	profil_dump_put(dump);
}
