/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream 0b295316b3a9, and ca5e863233e8 for get: it lost its vmas argument. */
#include <linux/mm.h>

#ifdef PROBE_NEW
long (*probe)(struct mm_struct *mm, unsigned long start,
	      unsigned long nr_pages, unsigned int gup_flags,
	      struct page **pages, int *locked) = pin_user_pages_remote;
#else
long (*probe)(struct mm_struct *mm, unsigned long start,
	      unsigned long nr_pages, unsigned int gup_flags,
	      struct page **pages, struct vm_area_struct **vmas,
	      int *locked) = pin_user_pages_remote;
#endif
