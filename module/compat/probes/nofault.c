/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream 55b8fe703bc5: a pin can leave out what would have to be faulted in. */
#include <linux/mm.h>

#ifdef PROBE_NEW
unsigned int probe = FOLL_NOFAULT;
#else
enum { FOLL_NOFAULT = 1 };
int (*probe)(unsigned long start, int nr_pages, unsigned int gup_flags,
	     struct page **pages) = pin_user_pages_fast_only;
#endif
