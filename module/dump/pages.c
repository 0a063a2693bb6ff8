// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of a range of an mm, at the exit of its process.
 *
 * They are held, not copied, because that costs little memory.  The mm can be
 * freed before the first page is written.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/userfaultfd_k.h>

#include "dump/dump.h"
#include "profil.h"

#define BATCH	256UL	/* pages taken with mmap_lock held */

/**
 * profil_pages_are_private() - check that a VMA has memory of its process alone
 * @vma: any
 *
 * Context: the caller holds mmap_lock.
 */
bool profil_pages_are_private(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_MAYSHARE | VM_IO | VM_PFNMAP));
}

/*
 * A fault in a hole of a tmpfs file charges the page to the mm's owner, and an
 * mm without threads has no owner.  So the page is made before the fault: it is
 * charged to the active cgroup, and no process is killed to make room for it.
 */
static int pages_fill_hole(struct vm_area_struct *vma, u64 addr)
{
	struct address_space *mapping = vma->vm_file->f_mapping;
	gfp_t gfp = mapping_gfp_mask(mapping) | __GFP_RETRY_MAYFAIL |
		    __GFP_NOWARN;
	struct page *page;

	page = shmem_read_mapping_page_gfp(mapping,
					   linear_page_index(vma, addr), gfp);
	if (IS_ERR(page))
		return PTR_ERR(page);
	put_page(page);
	return 0;
}

static bool vma_is_tmpfs(const struct vm_area_struct *vma)
{
	const struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) :
						   NULL;

	return inode && S_ISREG(inode->i_mode) &&
	       inode->i_sb->s_magic == TMPFS_MAGIC;
}

/* Takes pages of one VMA; the next call takes those of the next. */
static long pages_take_some(struct mm_struct *mm, u64 start, unsigned long nr,
			    struct page **pages)
{
	struct vm_area_struct *vma = find_vma(mm, start);
	int ret;

	lockdep_assert_held(&mm->mmap_lock);
	if (!vma || vma->vm_start > start || !profil_pages_are_private(vma))
		return -EFAULT;
	/* Another process provides such pages, or fails to. */
	if (userfaultfd_armed(vma) || profil_vma_is_served(vma))
		return -EFAULT;
	nr = min(nr, (unsigned long)(vma->vm_end - start) >> PAGE_SHIFT);
	if (vma_is_tmpfs(vma)) {
		nr = 1;
		ret = pages_fill_hole(vma, start);
		if (ret)
			return ret;
	}
	return get_user_pages_remote(mm, start, nr, 0, pages, NULL);
}

/**
 * profil_pages_take() - take references to the pages of a range
 * @pages: filled in; nothing is left to release if it fails
 * @mm: mmget
 * @addr: the first byte
 * @size: bytes, not 0, at most PROFIL_DUMP_SIZE_MAX
 *
 * Context: a kernel thread, because a fatal signal ends page faults; may sleep
 * and fault.  The active cgroup is charged.
 * Return: 0; -ENOMEM; another error if a part of it can't be read.
 */
int profil_pages_take(struct profil_pages *pages, struct mm_struct *mm,
		      u64 addr, u64 size)
{
	unsigned long nr = PAGE_ALIGN(offset_in_page(addr) + size) / PAGE_SIZE;
	u64 start = addr & PAGE_MASK;
	long ret;

	pages->nr_pages = 0;
	pages->offset = offset_in_page(addr);
	pages->size = size;
	pages->page = kvmalloc_array(nr, sizeof(*pages->page),
				     GFP_KERNEL | __GFP_NOWARN);
	if (!pages->page)
		return -ENOMEM;
	while (pages->nr_pages < nr) {
		mmap_read_lock(mm);
		ret = pages_take_some(mm, start + pages->nr_pages * PAGE_SIZE,
				      min(nr - pages->nr_pages, BATCH),
				      pages->page + pages->nr_pages);
		mmap_read_unlock(mm);
		if (ret <= 0) {
			profil_pages_release(pages);
			return ret ?: -EFAULT;
		}
		pages->nr_pages += ret;
		profil_ledger_in(PROFIL_LEDGER_PAGES_TAKEN, ret);
	}
	return 0;
}

/* Context: process. */
void profil_pages_release(struct profil_pages *pages)
{
	unsigned long i;

	for (i = 0; i < pages->nr_pages; i++)
		put_page(pages->page[i]);
	profil_ledger_out(PROFIL_LEDGER_PAGES_TAKEN, pages->nr_pages);
	kvfree(pages->page);
}
