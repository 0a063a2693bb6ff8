// SPDX-License-Identifier: MIT
/*
 * Names of system calls: those that the system's headers had at the build.
 * syscalls.inc is made from them, a line { __NR_name, "name" } for each.
 */
#include <asm/unistd.h>
#include <stdlib.h>

#include "syscalls.h"
#include "util.h"

static const struct {
	int number;
	const char *name;
} known[] = {
#include "syscalls.inc"
	{ -1, NULL }
};

const char *syscall_name(struct model *m, int number)
{
	const char *name;
	char *text;
	size_t i;

	for (i = 0; known[i].name; i++)
		if (known[i].number == number)
			return model_string(m, known[i].name);
	text = xasprintf("syscall_%d", number);
	name = model_string(m, text);
	free(text);
	return name;
}
