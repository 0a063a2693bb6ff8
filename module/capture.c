// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture: the pages that a range of an address space consists of, as it is
 * when its process ends.
 *
 * They are held, not copied: it costs little memory, and the address space
 * can go before the first of them is written.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/userfaultfd_k.h>

#include "gmon.h"
#include "profil.h"

#define BATCH	256UL	/* pages taken with mmap_lock held */

/* Memory whose pages another process hands out, if and when it likes. */
static bool vma_may_hang(struct vm_area_struct *vma)
{
	return userfaultfd_armed(vma) || profil_vma_is_served(vma);
}

static int check_vmas(struct mm_struct *mm, u64 pos, u64 end)
{
	lockdep_assert_held(&mm->mmap_lock);
	while (pos < end) {
		struct vm_area_struct *vma = find_vma(mm, pos);

		if (!vma || vma->vm_start > pos || vma_may_hang(vma))
			return -EFAULT;
		pos = vma->vm_end;
	}
	return 0;
}

static long take_batch(struct mm_struct *mm, u64 start, unsigned long nr,
		       struct page **pages)
{
	long ret;

	mmap_read_lock(mm);
	ret = check_vmas(mm, start, start + nr * PAGE_SIZE);
	if (!ret)
		ret = get_user_pages_remote(mm, start, nr, 0, pages, NULL);
	mmap_read_unlock(mm);
	return ret ? ret : -EFAULT;
}

/**
 * profil_capture_take() - take hold of a range of memory
 * @capture: to be released, unless it fails
 * @mm: the address space, which has users
 * @addr: the first byte
 * @size: bytes, not 0, at most PROFIL_DUMP_SIZE_MAX
 *
 * Context: a work: a fatal signal would cut it short; may sleep and fault.
 * Return: 0; -ENOMEM; -EFAULT if it is not all readable memory.
 */
int profil_capture_take(struct profil_capture *capture, struct mm_struct *mm,
			u64 addr, u64 size)
{
	unsigned long nr = PAGE_ALIGN(offset_in_page(addr) + size) / PAGE_SIZE;
	u64 start = addr & PAGE_MASK;
	long ret;

	capture->nr_pages = 0;
	capture->offset = offset_in_page(addr);
	capture->size = size;
	capture->pages = kvmalloc_array(nr, sizeof(*capture->pages),
					GFP_KERNEL | __GFP_NOWARN);
	if (!capture->pages)
		return -ENOMEM;
	while (capture->nr_pages < nr) {
		ret = take_batch(mm, start + capture->nr_pages * PAGE_SIZE,
				 min(nr - capture->nr_pages, BATCH),
				 capture->pages + capture->nr_pages);
		if (ret < 0) {
			profil_capture_release(capture);
			return ret;
		}
		capture->nr_pages += ret;
		profil_ledger_in(PROFIL_LEDGER_PAGES_CAPTURED, ret);
	}
	return 0;
}

/* Context: process. */
void profil_capture_release(struct profil_capture *capture)
{
	unsigned long i;

	for (i = 0; i < capture->nr_pages; i++)
		put_page(capture->pages[i]);
	profil_ledger_out(PROFIL_LEDGER_PAGES_CAPTURED, capture->nr_pages);
	kvfree(capture->pages);
}
