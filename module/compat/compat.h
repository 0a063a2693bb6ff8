/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: the module is written to the newest API, and this
 * file, included before all others, provides that on older kernels.
 *
 * The build tries what a kernel has and asks for no version, because
 * distributions backport changes.  To add a difference, write probes/NAME.c with
 * two forms.  With PROBE_NEW it must compile on kernels with the newest API only,
 * without it on the older ones only.  Name the upstream commit.  The build then
 * defines PROFIL_HAVE_NAME as 1 or 0.  For a function that some kernels don't
 * export, add a line to probes/exports.
 */
#ifndef _PROFIL_COMPAT_H
#define _PROFIL_COMPAT_H

/* Before printk.h, which what follows includes. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/tick.h>

#include "probed.h"

#if PROFIL_HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif

/* Pins pages without a fault; a kernel thread uses the mm for that. */
#if !PROFIL_HAVE_NOFAULT
#define FOLL_NOFAULT	BIT(31)

static inline long
profil_compat_pin_present(struct mm_struct *mm, unsigned long start,
			  unsigned long nr_pages, unsigned int gup_flags,
			  struct page **pages)
{
	bool own = mm == current->mm;
	long ret;

	if (!own)
		kthread_use_mm(mm);
	ret = pin_user_pages_fast_only(start, nr_pages,
				       gup_flags & ~FOLL_NOFAULT, pages);
	if (!own)
		kthread_unuse_mm(mm);
	return ret;
}
#endif

#if !PROFIL_HAVE_PIN_REMOTE
static inline long
profil_compat_pin_remote(struct mm_struct *mm, unsigned long start,
			 unsigned long nr_pages, unsigned int gup_flags,
			 struct page **pages, int *locked)
{
#if !PROFIL_HAVE_NOFAULT
	if (gup_flags & FOLL_NOFAULT)
		return profil_compat_pin_present(mm, start, nr_pages,
						 gup_flags, pages);
#endif
	return pin_user_pages_remote(mm, start, nr_pages, gup_flags, pages,
				     NULL, locked);
}

#define pin_user_pages_remote profil_compat_pin_remote

static inline long
profil_compat_get_remote(struct mm_struct *mm, unsigned long start,
			 unsigned long nr_pages, unsigned int gup_flags,
			 struct page **pages, int *locked)
{
	return get_user_pages_remote(mm, start, nr_pages, gup_flags, pages,
				     NULL, locked);
}

#define get_user_pages_remote profil_compat_get_remote
#endif

/* Linux 6.12 and newer have no mmap_write_trylock(). */
static inline bool profil_compat_write_trylock(struct mm_struct *mm)
{
	if (!down_write_trylock(&mm->mmap_lock))
		return false;
#if PROFIL_HAVE_LOCK_SEQCOUNT
	mm_lock_seqcount_begin(mm);
#endif
	return true;
}

#define mmap_write_trylock profil_compat_write_trylock

/* Before Linux 6.4 each holder of a VMA had mmap_lock. */
#ifndef CONFIG_PER_VMA_LOCK
static inline void profil_compat_vma_start_write(struct vm_area_struct *vma)
{
}

#define vma_start_write profil_compat_vma_start_write
#endif

/* Before Linux 6.4 no user worker but io_uring's had the mm of a process. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif

/* The one memcg function here that has no stub without CONFIG_MEMCG. */
static inline struct mem_cgroup *
profil_compat_get_memcg(struct task_struct *task)
{
	struct mem_cgroup *memcg = NULL;

#ifdef CONFIG_MEMCG
	rcu_read_lock();
	memcg = mem_cgroup_from_task(task);
	if (memcg && !css_tryget(&memcg->css))
		memcg = NULL;
	rcu_read_unlock();
#endif
	return memcg;
}

/* Without it the memory is charged to no cgroup. */
#if !PROFIL_HAVE_INT_ACTIVE_MEMCG
static inline struct mem_cgroup *
profil_compat_set_memcg(struct mem_cgroup *memcg)
{
	return NULL;
}

#define set_active_memcg profil_compat_set_memcg
#endif

/* Before Linux 6.3 the idmap was a user namespace; before 5.12 it was missing. */
#if !PROFIL_HAVE_UNLINK_IDMAP
#define mnt_idmap(mnt) NULL
#define vfs_unlink(idmap, dir, dentry, delegated) \
	vfs_unlink(dir, dentry, delegated)
#elif !PROFIL_HAVE_MNT_IDMAP
#define mnt_idmap mnt_user_ns
#endif

/* Linux 5.10 has it in FUSE's own source. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC	0x65735546
#endif

#if !PROFIL_HAVE_OPEN_ROOT
static inline struct file *
profil_compat_open_root(const struct path *root, const char *name, int flags,
			umode_t mode)
{
	return file_open_root(root->dentry, root->mnt, name, flags, mode);
}

#define file_open_root profil_compat_open_root
#endif

#if !PROFIL_HAVE___FPUT_SYNC
static inline void profil_compat_fput_sync(struct file *file)
{
	fput(file);
	flush_delayed_fput();
}

#define __fput_sync profil_compat_fput_sync
#endif

#ifndef module_put_and_kthread_exit
#define module_put_and_kthread_exit	module_put_and_exit
#endif

/* Before Linux 5.11 a callback that needs no recursion lock had a flag. */
#if PROFIL_HAVE_FTRACE_REGS
#define PROFIL_FTRACE_FLAGS	FTRACE_OPS_FL_PERMANENT
#else
#define ftrace_regs pt_regs
#define PROFIL_FTRACE_FLAGS	(FTRACE_OPS_FL_PERMANENT | \
				 FTRACE_OPS_FL_RECURSION_SAFE)
#endif

/* An empty filter has no memory of its own. */
#if !PROFIL_HAVE_FTRACE_FREE_FILTER
static inline void profil_compat_free_filter(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}

#define ftrace_free_filter profil_compat_free_filter
#endif

/* A tracepoint's probe may be preempted: SRCU protects it. */
#define PROFIL_TRACEPOINTS_PREEMPTIBLE \
	(PROFIL_HAVE_TRACEPOINT_SRCU && PROFIL_HAVE_NO_RCUIDLE)

/* The head of a probe of sched_process_exit. */
#if PROFIL_HAVE_EXIT_GROUP_DEAD
#define PROFIL_EXIT_PROBE(name) \
	void name(void *data, struct task_struct *task, bool group_dead)
#else
#define PROFIL_EXIT_PROBE(name) \
	void name(void *data, struct task_struct *task)
#endif

/* A thread's dependency on the tick of a CPU that would stop it. */
#if PROFIL_HAVE_TICK_NOHZ_DEP_SET_TASK
#define profil_compat_tick_dep(task, bit) \
	(atomic_read(&(task)->tick_dep_mask) & BIT(bit))
#else
#define tick_nohz_full_enabled() false
#define tick_dep_set_task(task, bit) do { } while (0)
#define tick_dep_clear_task(task, bit) do { } while (0)
#define profil_compat_tick_dep(task, bit) false
#endif

/* Without the option, no CPU stops its tick while it runs a thread. */
#define PROFIL_NOHZ_FULL	(PROFIL_HAVE_TICK_NOHZ_DEP_SET_TASK || \
				 !IS_ENABLED(CONFIG_NO_HZ_FULL))

/* A reference to the file that the process executes, or NULL. */
static inline struct file *profil_compat_exe_file(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#if PROFIL_HAVE_GET_FILE_RCU
	file = get_file_rcu(&mm->exe_file);
#else
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

/* The head of a probe of sched_switch. */
#if PROFIL_HAVE_SWITCH_STATE
#define PROFIL_SWITCH_PROBE(name)					\
	void name(void *data, bool preempt, struct task_struct *prev,	\
		  struct task_struct *next, unsigned int prev_state)
#else
#define PROFIL_SWITCH_PROBE(name)					\
	void name(void *data, bool preempt, struct task_struct *prev,	\
		  struct task_struct *next)
#endif

#if !PROFIL_HAVE_HRTIMER_SETUP
#define hrtimer_setup(timer, fn, clock, mode) ({			\
	struct hrtimer *__timer = (timer);				\
									\
	hrtimer_init(__timer, clock, mode);				\
	__timer->function = fn;						\
})
#endif

#if !PROFIL_HAVE_VM_FLAGS_SET
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* May those of the same user ptrace the task?  Context: RCU read section. */
static inline bool profil_compat_is_dumpable(struct task_struct *task,
					     struct mm_struct *mm)
{
#if PROFIL_HAVE_EXEC_STATE
	struct task_exec_state *state =
		rcu_dereference_check(task->exec_state,
				      rcu_read_lock_sched_held());

	return state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
#else
	return get_dumpable(mm) == SUID_DUMP_USER;
#endif
}

/* The user namespace that decides about it.  Context: RCU read section. */
static inline const struct user_namespace *
profil_compat_user_ns(struct task_struct *task, struct mm_struct *mm)
{
#if PROFIL_HAVE_EXEC_STATE
	struct task_exec_state *state =
		rcu_dereference_check(task->exec_state,
				      rcu_read_lock_sched_held());

	return state ? state->user_ns : NULL;
#else
	return mm->user_ns;
#endif
}

/* What a walk of the user's stack needs of the architecture. */
#ifdef CONFIG_X86_64
#define PROFIL_COMPAT_USER_END	TASK_SIZE_MAX
#define profil_compat_bp	frame_pointer

static inline bool profil_compat_is_64bit(struct pt_regs *regs)
{
	return user_64bit_mode(regs);
}

static inline unsigned long profil_compat_link(const struct pt_regs *regs)
{
	return 0;
}
#elif defined(CONFIG_ARM64)
#define PROFIL_COMPAT_USER_END	TASK_SIZE_64
#define profil_compat_bp	frame_pointer

static inline bool profil_compat_is_64bit(struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

static inline unsigned long profil_compat_link(const struct pt_regs *regs)
{
	return regs->regs[30];
}
#else
#define PROFIL_COMPAT_USER_END	PAGE_SIZE
#define profil_compat_bp(regs)	0
#define profil_compat_link(regs) 0
#define profil_compat_is_64bit(regs) false
#endif

#endif /* _PROFIL_COMPAT_H */
