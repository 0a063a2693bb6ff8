// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that locks its memory, and then wants more: a MiB, and p4.so,
 * which it has work.  With "calls NUMBER" it makes so many different calls.
 */
#include <dlfcn.h>
#include <profil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "dso.h"

struct counted counted[OBJECTS];

extern void _mcount(void);

#if defined(__x86_64__)
/* An arc that no compiler made: from so many bytes into the text. */
static void arc(unsigned long from)
{
	unsigned long frame[2] = { 0, from };

	__asm__ volatile("push %%rbp; mov %0, %%rbp; sub $8, %%rsp;"
			 "call _mcount@PLT; add $8, %%rsp; pop %%rbp"
			 : : "r"(frame) : "memory");
}
#else
static void arc(unsigned long from)
{
	(void)from;
}
#endif

int main(int argc, char **argv)
{
	void (*work)(int times, void (*back)(void));
	unsigned long i, nr;
	void *handle;

	if (argc > 2 && !strcmp(argv[1], "calls")) {
		nr = strtoul(argv[2], NULL, 0);
		for (i = 0; i < nr; i++)
			arc((unsigned long)main + i % 4096 + (i / 4096 << 20));
		return 0;
	}
	if (argc > 1 && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
		perror("mlockall");
		return 1;
	}
	handle = malloc(1 << 20);
	if (!handle) {
		perror("malloc");
		return 2;
	}
	memset(handle, 1, 1 << 20);
	handle = dlopen("./p4.so", RTLD_NOW);
	work = handle ? (void (*)(int, void (*)(void)))dlsym(handle, "work_4") :
			NULL;
	if (!work) {
		fprintf(stderr, "%s\n", dlerror());
		return 3;
	}
	for (i = 0; i < 500; i++)
		work(10, NULL);
	printf("p4.so leaf_4 %lu\np4.so start_4 1\np4.so work_4 500\n",
	       counted[4].leaf);
	return 0;
}
