// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mappings of a buffer: can the module count in this memory?
 */
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/stat.h>
#include <linux/sched/signal.h>

#include "region/bin.h"
#include "profil.h"

/* The bytes that hold counters: an overflow region has one counter. */
u64 profil_buffer_bytes(const struct profil_region *region)
{
	if (region->flags & PROFIL_REGION_F_OVERFLOW)
		return region->width;
	return profil_bin_usable(region->size, region->width);
}

/*
 * A file system must see each write to its pages, and a store through a pin
 * bypasses it.  The pages of tmpfs, memfd and hugetlbfs are never written back,
 * so those may be pinned.
 */
static bool vma_may_pin(const struct vm_area_struct *vma)
{
	const struct inode *inode;
	unsigned long magic;

	if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		return false;
	if (!(vma->vm_flags & VM_SHARED) || !vma->vm_file)
		return true;
	inode = file_inode(vma->vm_file);
	magic = inode->i_sb->s_magic;
	/* A device's node is in a tmpfs too. */
	return S_ISREG(inode->i_mode) &&
	       (magic == TMPFS_MAGIC || magic == HUGETLBFS_MAGIC);
}

/**
 * profil_vma_is_served() - does a FUSE server provide the pages?
 * @vma: with a file, or without
 *
 * A fault blocks until the server answers, and only the server's end would end
 * that wait.
 *
 * Context: the caller holds mmap_lock.
 */
bool profil_vma_is_served(const struct vm_area_struct *vma)
{
	return vma->vm_file &&
	       file_inode(vma->vm_file)->i_sb->s_magic == FUSE_SUPER_MAGIC;
}

/**
 * profil_vma_check() - can the module count in this memory?
 * @mm: the address space
 * @region: its buffer is checked
 *
 * Context: process; the caller holds mmap_lock.
 * Return: 0; -ENXIO if it is not all mapped, -EACCES if it is not all
 * writable, -EOPNOTSUPP if it is memory that can't be pinned; -EINTR.
 */
int profil_vma_check(struct mm_struct *mm,
		     const struct profil_region *region)
{
	u64 pos = region->base, end;

	lockdep_assert_held(&mm->mmap_lock);
	if (check_add_overflow(pos, profil_buffer_bytes(region), &end) ||
	    end > TASK_SIZE_MAX)
		return -ENXIO;

	while (pos < end) {
		struct vm_area_struct *vma = find_vma(mm, pos);

		if (!vma || vma->vm_start > pos)
			return -ENXIO;
		if (!(vma->vm_flags & VM_WRITE))
			return -EACCES;
		if (!vma_may_pin(vma))
			return -EOPNOTSUPP;
		pos = vma->vm_end;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}
