// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture: the pages that a range of an address space consists of, as it is
 * when its process ends.
 *
 * They are held, not copied: it costs little memory, and the address space
 * can go before the first of them is written.
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

#include "gmon.h"
#include "profil.h"

#define BATCH	256UL	/* pages taken with mmap_lock held */

/* Memory whose pages another process hands out, if and when it likes. */
static bool vma_may_hang(struct vm_area_struct *vma)
{
	return userfaultfd_armed(vma) || profil_vma_is_served(vma);
}

/* Of all else it is for the kernel to say no. */
static bool vma_is_readable_tmpfs(struct vm_area_struct *vma)
{
	const struct inode *inode;

	if ((vma->vm_flags & (VM_READ | VM_IO | VM_PFNMAP)) != VM_READ ||
	    !vma->vm_file)
		return false;
	inode = file_inode(vma->vm_file);
	return S_ISREG(inode->i_mode) && inode->i_sb->s_magic == TMPFS_MAGIC;
}

/* From swap, or a new one; and nobody is killed where there is no room. */
static struct page *read_page(struct address_space *mapping, pgoff_t index)
{
	gfp_t gfp = __GFP_RETRY_MAYFAIL | __GFP_NOWARN;

	return shmem_read_mapping_page_gfp(mapping, index,
					   mapping_gfp_mask(mapping) | gfp);
}

/* The file's own page, and none for a hole. */
static long take_shared(struct address_space *mapping, pgoff_t index,
			struct page **page)
{
	u64 end = DIV_ROUND_UP(i_size_read(mapping->host), PAGE_SIZE);

	if (index < end && !xa_load(&mapping->i_pages, index)) {
		*page = ZERO_PAGE(0);
		get_page(*page);
		return 1;
	}
	*page = read_page(mapping, index);
	return IS_ERR(*page) ? PTR_ERR(*page) : 1;
}

/*
 * The process may have a copy, and that may be in swap: only a fault finds it,
 * and must not be what fills a hole.
 */
static long take_private(struct mm_struct *mm, u64 addr,
			 struct address_space *mapping, pgoff_t index,
			 struct page **page)
{
	struct page *below = read_page(mapping, index);
	long ret;

	if (IS_ERR(below))
		return PTR_ERR(below);
	ret = get_user_pages_remote(mm, addr, 1, 0, page, NULL);
	put_page(below);
	return ret;
}

/*
 * A fault in a hole would allocate, at the cost of the mm's owner: of an mm
 * that ends there is none, and nobody's limit holds.  What is asked of the file
 * is at the cost of the active cgroup.
 */
static long take_tmpfs(struct mm_struct *mm, struct vm_area_struct *vma,
		       u64 start, unsigned long nr, struct page **pages)
{
	struct address_space *mapping = vma->vm_file->f_mapping;
	bool shared = vma->vm_flags & VM_MAYSHARE || !vma->anon_vma;
	pgoff_t index = linear_page_index(vma, start);
	unsigned long i;
	long ret;

	lockdep_assert_held(&mm->mmap_lock);
	for (i = 0; i < nr; i++) {
		if (shared)
			ret = take_shared(mapping, index + i, pages + i);
		else
			ret = take_private(mm, start + i * PAGE_SIZE, mapping,
					   index + i, pages + i);
		if (ret <= 0)
			return i ? i : ret;
	}
	return nr;
}

/* At most up to the end of a mapping. */
static long take_some(struct mm_struct *mm, u64 start, unsigned long nr,
		      struct page **pages)
{
	struct vm_area_struct *vma = find_vma(mm, start);

	if (!vma || vma->vm_start > start || vma_may_hang(vma))
		return -EFAULT;
	nr = min(nr, (unsigned long)(vma->vm_end - start) >> PAGE_SHIFT);
	if (vma_is_readable_tmpfs(vma))
		return take_tmpfs(mm, vma, start, nr, pages);
	return get_user_pages_remote(mm, start, nr, 0, pages, NULL);
}

static long take_batch(struct mm_struct *mm, u64 start, unsigned long nr,
		       struct page **pages)
{
	long ret;

	mmap_read_lock(mm);
	ret = take_some(mm, start, nr, pages);
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
 * Context: a work: a fatal signal would cut it short; may sleep and fault; who
 * is to pay is the active cgroup.
 * Return: 0; -ENOMEM; another error if it is not all readable memory.
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
