/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls counted by those who are called, in the program's memory, so that
 * they are still there when the object has gone.
 */
#define OBJECTS		8

struct counted {
	const char *label;	/* of the object */
	unsigned long leaf, start, work, open;
};

extern struct counted counted[OBJECTS];

#define COUNT(id, what) \
	__atomic_add_fetch(&counted[id].what, 1, __ATOMIC_RELAXED)
