// SPDX-License-Identifier: GPL-2.0-only
/*
 * An object that exports nothing, and whose constructor makes calls; or, with
 * PROGRAM, one that opens it with RTLD_DEEPBIND.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#ifdef PROGRAM
int main(void)
{
	return !dlopen("./quiet.so", RTLD_NOW | RTLD_DEEPBIND);
}
#else
static __attribute__((noinline)) void inner(void)
{
	__asm__ volatile("");
}

static __attribute__((constructor)) void begin(void)
{
	int i;

	for (i = 0; i < 3; i++)
		inner();
}
#endif
