/* SPDX-License-Identifier: MIT */
/* The kernel's table of an object: how the caller is found from each address. */
#ifndef PROFIL_UNWIND_H
#define PROFIL_UNWIND_H

#include "object.h"

struct unwind {
	void *bytes;		/* as PROFIL_UNWIND_OBJECT takes them */
	size_t size;
	uint64_t base;		/* address of the linker's at its offset 0 */
	/* Where a rule is PROFIL_RULE_END or PROFIL_RULE_SIGNAL, ascending. */
	struct unwind_mark {
		uint32_t start, end, kind;
	} *marks;
	size_t nr_marks;
};

/* From .eh_frame and .debug_frame; false: there are no rules for here. */
bool unwind_compile(struct unwind *unwind, const struct object *object);
/* PROFIL_RULE_END, PROFIL_RULE_SIGNAL, or 0. */
uint32_t unwind_mark(const struct unwind *unwind, uint64_t vaddr);

#endif /* PROFIL_UNWIND_H */
