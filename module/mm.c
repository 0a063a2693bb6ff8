// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another process's address space: its lock is tried for a while, and its end
 * left to others.
 *
 * Works are few, and everybody's.  Who holds mmap_lock may wait for a page that
 * never comes, and so may the end of an address space, for a request of AIO.
 * Its own process may wait for either: that is its own business.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "profil.h"

#define LOCK_TRIES	5

struct mm_end {
	struct profil_errand errand;
	struct mm_struct *mm;
};

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
 * profil_mm_read_lock() - take mmap_lock to look
 * @mm: any
 * @wait: for as long as it takes; only for the caller's own
 *
 * Context: process; sleeps.
 * Return: 0; -EINTR if the caller is killed; -EAGAIN if it is not to wait.
 */
int profil_mm_read_lock(struct mm_struct *mm, bool wait)
{
	return wait ? mmap_read_lock_killable(mm) : try_lock(mm, mmap_read_trylock);
}

/* The same to change, but for the -EINTR: what it is for never fails. */
int profil_mm_write_lock(struct mm_struct *mm, bool wait)
{
	if (!wait)
		return try_lock(mm, mmap_write_trylock);
	mmap_write_lock(mm);
	return 0;
}

/**
 * profil_mm_hold() - see that nobody keeps a lock of a mapping
 * @mm: its mmap_lock is held to write
 * @wait: for as long as it takes; only for the caller's own
 *
 * A fault may hold only the mapping's own lock while it sleeps, for seconds in a
 * cgroup above memory.high; mm_take_all_locks() would wait for that fault, with a
 * lock that is the whole machine's.  For one that waits for a FUSE server to write
 * the page back not even a work waits.
 *
 * Context: process; sleeps.
 * Return: 0; -EAGAIN if it can't be seen without waiting for a server.
 */
int profil_mm_hold(struct mm_struct *mm, bool wait)
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
 * profil_mm_get() - use an address space in a work
 * @mm: a reference to its struct is held
 * @payer: whose process it is
 *
 * Undone by profil_mm_put().
 *
 * Context: process.
 * Return: 0; -ESRCH if it has ended; -EBUSY if too many ends of its payer's wait.
 */
int profil_mm_get(struct mm_struct *mm, u8 payer)
{
	if (atomic_read(&mm->mm_users) && profil_errand_is_much(payer))
		return -EBUSY;
	return mmget_not_zero(mm) ? 0 : -ESRCH;
}

static void run_end(struct profil_errand *errand)
{
	struct mm_end *end = container_of(errand, struct mm_end, errand);

	mmput(end->mm);
	kfree(end);
}

/**
 * profil_mm_put() - the reverse
 * @mm: its end is an errand, if this was its last user
 * @payer: as before
 *
 * Context: process, with a profile in hand; may sleep.
 */
void profil_mm_put(struct mm_struct *mm, u8 payer)
{
	struct mm_end *end;

	if (atomic_add_unless(&mm->mm_users, -1, 1))
		return;
	end = kmalloc(sizeof(*end), GFP_KERNEL | __GFP_NOFAIL);
	end->mm = mm;
	end->errand.payer = payer;
	end->errand.run = run_end;
	profil_errand_begin(&end->errand);
}
