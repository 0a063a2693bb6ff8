// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinning the pages of a buffer, and unpinning them.
 *
 * Workers are few and shared by all processes, so they must not block on pages
 * that userspace provides (FUSE, userfaultfd) or on a contended mmap_lock.
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/slab.h>

#include "delay.h"
#include "profil.h"

#define OWN_TRIES	16
#define WORKER_TRIES	4
#define BATCH		1024UL	/* pages */

/*
 * The one function that unpins.  Ticks no longer use the pages then, because the
 * buffer is stale.
 *
 * Context: process; may sleep.  The caller holds refresh_lock.
 */
static void buffer_unpin(struct profil_buffer *buffer)
{
	unsigned long i;

	lockdep_assert_held(&buffer->profile->refresh_lock);
	if (!buffer->pinned)
		return;
	raw_spin_lock_irq(&buffer->profile->lock);
	profil_buffer_stale(buffer);
	buffer->pinned = false;
	raw_spin_unlock_irq(&buffer->profile->lock);
	buffer->fresh = false;
	profil_delay();
	for (i = 0; i < buffer->nr_pages; i++)
		buffer->pages[i] = virt_to_page(buffer->memory[i]);
	unpin_user_pages_dirty_lock(buffer->pages, buffer->nr_pages, true);
	profil_ledger_out(PROFIL_LEDGER_PAGES_PINNED, buffer->nr_pages);
}

/*
 * A process pins its own pages without a lock, and sleeps until they are there
 * as if it had touched them.  A worker pins one mapping at a time, and from
 * memory that a server provides only the pages that are there.
 */
static long pin_some(struct mm_struct *mm, unsigned long start,
		     unsigned long nr_pages, struct page **pages, bool wait)
{
	unsigned int flags = FOLL_WRITE | FOLL_LONGTERM;
	struct vm_area_struct *vma;
	long ret;

	if (wait)
		return pin_user_pages_fast(start, nr_pages, flags, pages);
	lockdep_assert_held(&mm->mmap_lock);
	vma = find_vma(mm, start);
	if (!vma)
		return -EFAULT;
	nr_pages = min(nr_pages, (vma->vm_end - start) >> PAGE_SHIFT);
	if (!profil_vma_is_served(vma))
		return pin_user_pages_remote(mm, start, nr_pages, flags, pages,
					     NULL);
	ret = pin_user_pages_remote(mm, start, nr_pages, flags | FOLL_NOFAULT,
				    pages, NULL);
	/* The server may provide it soon. */
	return ret > 0 ? ret : -EBUSY;
}

/*
 * A page may be mapped in many places, in many processes, and each pin counts
 * 1024 times in an int: the kernel warns of one that overflows.
 */
static bool is_pinned_often(struct page **pages, long nr_pages)
{
	long i;

	for (i = 0; i < nr_pages; i++)
		if (page_count(pages[i]) > INT_MAX / 2)
			return true;
	return false;
}

static int buffer_pin_pages(struct profil_buffer *buffer, unsigned long start,
			    bool wait)
{
	unsigned long done = 0, i;
	long ret;

	while (done < buffer->nr_pages) {
		ret = pin_some(buffer->profile->mm,
			       start + (done << PAGE_SHIFT),
			       min(buffer->nr_pages - done, BATCH),
			       buffer->pages + done, wait);
		if (ret > 0 && is_pinned_often(buffer->pages + done, ret)) {
			done += ret;
			ret = -ENOMEM;
		}
		if (ret <= 0) {
			unpin_user_pages(buffer->pages, done);
			return ret ? ret : -EFAULT;
		}
		done += ret;
	}
	buffer->huge = false;
	for (i = 0; i < done; i++) {
		buffer->huge |= PageCompound(buffer->pages[i]);
		buffer->memory[i] = page_address(buffer->pages[i]);
	}
	buffer->fresh = buffer->huge;
	raw_spin_lock_irq(&buffer->profile->lock);
	buffer->pinned = true;
	raw_spin_unlock_irq(&buffer->profile->lock);
	profil_ledger_in(PROFIL_LEDGER_PAGES_PINNED, buffer->nr_pages);
	return 0;
}

static int buffer_alloc_pages(struct profil_buffer *buffer)
{
	if (buffer->pages)
		return 0;
	if (buffer->nr_pages > INT_MAX / sizeof(*buffer->pages))
		return -ENOMEM;
	buffer->pages = kvmalloc_array(buffer->nr_pages,
				       sizeof(*buffer->pages),
				       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	return buffer->pages ? 0 : -ENOMEM;
}

/*
 * A worker holds mmap_lock from the unpin to the pin, because a fork in between
 * would share the page.
 */
static int buffer_pin_checked(struct profil_buffer *buffer,
			      const struct profil_region *region, bool wait)
{
	struct mm_struct *mm = buffer->profile->mm;
	int ret;

	ret = profil_remote_read_lock(mm, wait);
	if (ret)
		return ret;
	ret = profil_vma_check(mm, region);
	if (wait)
		mmap_read_unlock(mm);
	if (!ret) {
		buffer_unpin(buffer);
		ret = buffer_pin_pages(buffer, profil_buffer_start(region),
				       wait);
	}
	if (!wait)
		mmap_read_unlock(mm);
	return ret;
}

/**
 * profil_buffer_pin() - pin a stale buffer, which makes it live
 * @buffer: stale, watched
 *
 * Context: process; may sleep, fault and take mmap_lock.  The caller holds
 * refresh_lock.
 * Return: 0 if the buffer is live.  -ESTALE if its mapping kept changing,
 * -EAGAIN if a worker did not get mmap_lock, -EBUSY if a worker found a page
 * missing.  With these it is stale, and is tried again, with -EBUSY only for a
 * while.  Else the error of profil_vma_check() or of the pin.
 */
int profil_buffer_pin(struct profil_buffer *buffer)
{
	struct profil_profile *profile = buffer->profile;
	u32 index = buffer - profile->buffers;
	bool wait = profil_profile_may_wait(profile);
	int tries = wait ? OWN_TRIES : WORKER_TRIES;
	unsigned long seq;
	bool changed;
	int ret;

	lockdep_assert_held(&profile->refresh_lock);
	ret = buffer_alloc_pages(buffer);
	if (ret)
		return ret;
	while (tries--) {
		/* If the mapping changes from here on, it stays stale. */
		seq = mmu_interval_read_begin(&buffer->watch);
		ret = buffer_pin_checked(buffer,
					 &profile->layout->regions[index],
					 wait);
		profil_delay();
		raw_spin_lock_irq(&profile->lock);
		changed = mmu_interval_read_retry(&buffer->watch, seq);
		/* A tick may have switched it off meanwhile. */
		if (!changed && !ret && test_bit(index, profile->off)) {
			ret = -ENXIO;
		} else if (!changed && !ret) {
			buffer->live = true;
			buffer->wanted = false;
			buffer->gone = 0;
		}
		raw_spin_unlock_irq(&profile->lock);
		if (!changed)
			return ret;
	}
	return -ESTALE;
}

/**
 * profil_buffer_drop() - unpin the pages, keep the notifier
 * @buffer: stale now, until it is pinned again
 *
 * Context: process; may sleep.  The caller holds refresh_lock.
 */
void profil_buffer_drop(struct profil_buffer *buffer)
{
	buffer_unpin(buffer);
	kvfree(buffer->pages);
	buffer->pages = NULL;
}
