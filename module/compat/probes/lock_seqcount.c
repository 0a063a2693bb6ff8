/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream eb449bd96954: a writer of mmap_lock begins a sequence. */
#include <linux/mm.h>

#ifndef PROBE_NEW
static inline void mm_lock_seqcount_begin(struct mm_struct *mm)
{
}
#endif

void probe(struct mm_struct *mm)
{
	mm_lock_seqcount_begin(mm);
}
