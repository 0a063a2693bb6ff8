// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another process's mm: mmap_lock is tried for a while, and the last mmput() is
 * left to a worker.
 *
 * The holder of mmap_lock may be faulting in a page that never arrives, and the
 * end of an mm may block on a request of AIO.  Workers are few and shared by
 * all processes, so they must not block on either.  The process itself may.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "profil.h"

#define LOCK_TRIES	5

#define END_AGAIN	(HZ / 10)

struct mm_end {
	struct mm_struct *mm;
	u8 payer;
	struct delayed_work work;
};

static struct workqueue_struct *end_wq;

static int try_lock(struct mm_struct *mm, bool (*lock)(struct mm_struct *mm))
{
	int tries;

	for (tries = 0; tries < LOCK_TRIES; tries++) {
		if (lock(mm))
			return 0;
		usleep_range(50, 100);
	}
	return -EAGAIN;
}

/**
 * profil_remote_read_lock() - take mmap_lock to look
 * @mm: any
 * @wait: for as long as it takes; only for the caller's own
 *
 * Context: process; sleeps.
 * Return: 0; -EINTR if the caller is killed; -EAGAIN without @wait, if the lock
 * is taken.
 */
int profil_remote_read_lock(struct mm_struct *mm, bool wait)
{
	return wait ? mmap_read_lock_killable(mm) : try_lock(mm, mmap_read_trylock);
}

/* Takes mmap_lock to change; not killable, since an uncharge must not fail. */
int profil_remote_write_lock(struct mm_struct *mm, bool wait)
{
	if (!wait)
		return try_lock(mm, mmap_write_trylock);
	mmap_write_lock(mm);
	return 0;
}

/**
 * profil_remote_lock_vmas() - lock each mapping by itself
 * @mm: its mmap_lock is held to write
 * @wait: for as long as it takes; only for the caller's own
 *
 * A fault may hold a VMA's own lock alone while it sleeps, for seconds in a
 * memcg above memory.high.  mm_take_all_locks() would wait for that fault while
 * it holds a lock of the whole machine, so the wait is here.  A worker does not
 * wait for a fault that may be blocked on a FUSE server.
 *
 * Context: process; sleeps.
 * Return: 0; -EAGAIN if a worker might block on a server.
 */
int profil_remote_lock_vmas(struct mm_struct *mm, bool wait)
{
	struct vm_area_struct *vma;

	for (vma = find_vma(mm, 0); vma; vma = find_vma(mm, vma->vm_end)) {
		if (!wait && IS_ENABLED(CONFIG_PER_VMA_LOCK) &&
		    vma->vm_flags & VM_SHARED && profil_vma_is_served(vma))
			return -EAGAIN;
		vma_start_write(vma);
	}
	return 0;
}

/**
 * profil_remote_get() - use an mm in a work item
 * @mm: a reference to its struct is held
 * @payer: the user of its process
 *
 * Undone by profil_remote_put().
 *
 * Context: process.
 * Return: 0; -ESRCH if it has ended; -EBUSY if so many mmput() of this user
 * block that the next would have to wait.
 */
int profil_remote_get(struct mm_struct *mm, u8 payer)
{
	if (atomic_read(&mm->mm_users) &&
	    profil_payer_is_full(payer, PROFIL_WAIT_MM_END))
		return -EBUSY;
	return mmget_not_zero(mm) ? 0 : -ESRCH;
}

static void end_mm(struct work_struct *work)
{
	struct mm_end *end = container_of(to_delayed_work(work), struct mm_end,
					  work);

	if (!profil_payer_enter(end->payer, PROFIL_WAIT_MM_END)) {
		queue_delayed_work(end_wq, &end->work, END_AGAIN);
		return;
	}
	mmput(end->mm);
	profil_payer_leave(end->payer, PROFIL_WAIT_MM_END);
	kfree(end);
	/* profil_remote_exit() waits for the work item. */
	module_put(THIS_MODULE);
}

/**
 * profil_remote_put() - undo profil_remote_get(), or an mmget()
 * @mm: if this was its last user, a work item ends it
 * @payer: the user of its process
 *
 * Not mmput_async(): the end may block for good, and that one uses the system's
 * own workqueue.
 *
 * Context: process, with a reference to the module; may sleep.
 */
void profil_remote_put(struct mm_struct *mm, u8 payer)
{
	struct mm_end *end;

	if (atomic_add_unless(&mm->mm_users, -1, 1))
		return;
	end = kmalloc(sizeof(*end), GFP_KERNEL | __GFP_NOFAIL);
	end->mm = mm;
	end->payer = payer;
	INIT_DELAYED_WORK(&end->work, end_mm);
	__module_get(THIS_MODULE);
	queue_delayed_work(end_wq, &end->work, 0);
}

int profil_remote_init(void)
{
	/*
	 * Not WQ_MEM_RECLAIM: a driver's notifier may flush a workqueue without
	 * it, of which the kernel warns.  mmput_async() uses one without, too.
	 * Not WQ_FREEZABLE: an mm that waits for FUSE would hold up a suspend.
	 */
	end_wq = alloc_workqueue("profil_mm", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return end_wq ? 0 : -ENOMEM;
}

/* Each work item has put the module, or is about to return. */
void profil_remote_exit(void)
{
	destroy_workqueue(end_wq);
}
