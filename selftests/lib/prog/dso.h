/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls counted by the called functions in the program's memory, so that the
 * counts are still there after the object is unloaded.
 */
#define OBJECTS		8

struct counted {
	const char *label;	/* of the object */
	unsigned long leaf, start, work, open;
};

extern struct counted counted[OBJECTS];

#define COUNT(id, what) \
	__atomic_add_fetch(&counted[id].what, 1, __ATOMIC_RELAXED)
