// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_IOC_JOIN: which processes may be followed.
 *
 * They are the caller, and a process of which the caller has /proc/PID/mem open.
 * The kernel gives that file to those that may ptrace the process, and holds
 * the address space in it.  No function tells such a file from others, so init
 * opens its own and remembers the file operations.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "observe/observe.h"
#include "profil.h"

static const struct file_operations *mem_fops;

/* Context: module init. */
void profil_join_init(void)
{
	struct file_system_type *type = get_fs_type("proc");
	struct path root;
	struct file *file;

	if (!type)
		return;
	root.mnt = kern_mount(type);
	module_put(type->owner);
	if (IS_ERR(root.mnt))
		return;
	root.dentry = root.mnt->mnt_root;
	file = file_open_root(&root, "self/mem", O_RDONLY, 0);
	if (!IS_ERR(file)) {
		if (file->private_data == current->mm)
			mem_fops = file->f_op;
		fput(file);
	}
	kern_unmount(root.mnt);
}

bool profil_join_other_works(void)
{
	return mem_fops;
}

/* A descriptor that was passed on is its opener's, which has to be the caller. */
static bool is_callers(const struct file *file)
{
	const struct cred *cred = current_cred(), *theirs = file->f_cred;

	return uid_eq(theirs->euid, cred->euid) &&
	       theirs->user_ns == cred->user_ns &&
	       cap_issubset(theirs->cap_effective, cred->cap_effective);
}

/* Is the mm that of a process?  Context: inside an RCU read section. */
bool profil_join_has_mm(const struct signal_struct *signal,
			const struct mm_struct *mm)
{
	struct task_struct *task;

	list_for_each_entry_rcu(task, &signal->thread_head, thread_node)
		if (READ_ONCE(task->mm) == mm)
			return true;
	return false;
}

static int join_mm(struct profil_observer *observer, struct mm_struct *mm,
		   const struct profil_join *arg)
{
	struct task_struct *task;
	int ret = -ESRCH;

	rcu_read_lock();
	task = pid_task(find_vpid(arg->pid), PIDTYPE_PID);
	if (task && READ_ONCE(task->mm) != mm)
		task = NULL;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return ret;
	/* A zombie's mm has no users. */
	if (mmget_not_zero(mm)) {
		ret = profil_follow_join(observer, task, mm, arg->flags);
		mmput(mm);
	}
	put_task_struct(task);
	return ret;
}

/**
 * profil_join_open() - a process's memory that the caller may read
 * @fd: of its /proc/PID/mem
 *
 * Undone by fput().
 *
 * Context: process.
 * Return: the file, its private_data the mm; or see struct profil_join.
 */
struct file *profil_join_open(int fd)
{
	struct file *file;
	int ret;

	if (!mem_fops)
		return ERR_PTR(-EOPNOTSUPP);
	file = fget(fd);
	if (!file)
		return ERR_PTR(-EBADF);
	if (file->f_op != mem_fops)
		ret = -EINVAL;
	else if (!is_callers(file))
		ret = -EPERM;
	else if (!file->private_data)
		ret = -ESRCH;
	else
		return file;
	fput(file);
	return ERR_PTR(ret);
}

static int join_other(struct profil_observer *observer,
		      const struct profil_join *arg)
{
	struct file *file = profil_join_open(arg->fd);
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = join_mm(observer, file->private_data, arg);
	fput(file);
	return ret;
}

/* Context: process; sleeps.  Return: 0, or see struct profil_join. */
int profil_join(struct profil_observer *observer,
		const struct profil_join *arg)
{
	if (arg->flags & ~PROFIL_JOIN_F_NO_FORK || arg->pid < 0)
		return -EINVAL;
	if (arg->pid)
		return join_other(observer, arg);
	if (arg->fd)
		return -EINVAL;
	return profil_follow_join(observer, current, current->mm, arg->flags);
}
