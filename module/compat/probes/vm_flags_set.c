/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream bc292ab00f6c: the flags of a mapping are changed by functions. */
#include <linux/mm.h>

#ifdef PROBE_NEW
void probe(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_DONTCOPY, VM_MAYWRITE);
}
#else
void probe(struct vm_area_struct *vma)
{
	vma->vm_flags |= VM_DONTCOPY;
}
#endif
