// SPDX-License-Identifier: GPL-2.0-only
/*
 * The object quiet.so exports nothing, and its constructor makes calls.  With
 * -DPROGRAM this is the program that opens it with RTLD_DEEPBIND.
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
