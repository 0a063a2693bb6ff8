// SPDX-License-Identifier: GPL-2.0-only
/* A shared object: number ID, which computes PART times as long as another. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "dso.h"

#ifndef PART
#define PART		1
#endif
#define GLUE(a, b)	a ## b
#define NAME_OF(a, b)	GLUE(a, b)
#define NAME(what)	NAME_OF(what, ID)

void NAME(work_)(int times, void (*back)(void));
void *NAME(open_)(const char *name);

static void NAME(leaf_)(void)
{
	volatile int i;

	COUNT(ID, leaf);
	for (i = 0; i < PART * 10000; i++)
		;
}

static void __attribute__((constructor)) NAME(start_)(void)
{
	COUNT(ID, start);
	NAME(leaf_)();
}

void NAME(work_)(int times, void (*back)(void))
{
	COUNT(ID, work);
	while (times--) {
		NAME(leaf_)();
		if (back)
			back();
	}
}

/* From this object's search path. */
void *NAME(open_)(const char *name)
{
	COUNT(ID, open);
	return dlopen(name, RTLD_NOW);
}
