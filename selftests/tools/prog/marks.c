// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel finds in the table that profil compiles: marks FILE ADDRESS...
 * Prints for each address the kind of its rule, which is also its mark if there
 * is one; 0 if there is no rule.  For an address with "+" in front it prints the
 * whole rule.
 */
#include <elf.h>
#include <fcntl.h>

#include "../../host/kernel.h"

#define PROFIL_UNWIND_ARM64	1
#define PROFIL_UNWIND_READ(word, at, label)	\
do {						\
	u64 __word = (at);			\
						\
	if (!__word)				\
		goto label;			\
	(word) = __word;			\
} while (0)

#include "observe/unwind/check.h"
#include "observe/unwind/step.h"

#include "unwind.h"

int main(int argc, char **argv)
{
	const struct profil_unwind_rule *rule;
	struct profil_unwind_view view;
	struct object *object;
	struct unwind unwind;
	u32 kind, mark;
	u64 at;
	int i;

	object = object_from_file(argv[1], open(argv[1], O_RDONLY));
	if (!unwind_compile(&unwind, object) ||
	    !profil_unwind_check(unwind.bytes, unwind.size, object->machine,
				 &view))
		return 1;
	for (i = 2; i < argc; i++) {
		at = strtoull(argv[i] + (*argv[i] == '+'), NULL, 0);
		rule = profil_unwind_find(&view, at - unwind.base);
		kind = rule ? rule->kind & PROFIL_RULE_KIND : 0;
		mark = unwind_mark(&unwind, at);
		if (mark && mark != kind)
			return 1;
		printf("%u", kind);
		if (*argv[i] == '+' && rule)
			printf(" cfa %d bp %d", rule->cfa, rule->bp);
		putchar('\n');
	}
	return argc < 3;
}
