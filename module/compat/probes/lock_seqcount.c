/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream eb449bd96954: a writer of mmap_lock begins a sequence. */
#include <linux/mm.h>

#ifdef PROBE_NEW
void *probe = mm_lock_seqcount_begin;
#else
int mm_lock_seqcount_begin;
#endif
