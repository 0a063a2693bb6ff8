// SPDX-License-Identifier: GPL-2.0-only
/* Preloaded behind the library: says which calls come here, and passes them on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *find_next(const char *name)
{
	printf("%s comes here\n", name);
	fflush(stdout);
	return dlsym(RTLD_NEXT, name);
}

void _exit(int status)
{
	void (*next)(int status) = find_next("_exit");

	next(status);
	abort();
}

void _Exit(int status)
{
	void (*next)(int status) = find_next("_Exit");

	next(status);
	abort();
}

int execvp(const char *file, char *const argv[])
{
	int (*next)(const char *file, char *const argv[]) = find_next("execvp");

	return next(file, argv);
}

int prctl(int option, ...)
{
	int (*next)(int option, ...) = find_next("prctl");
	unsigned long arg[4];
	va_list args;
	int i;

	va_start(args, option);
	for (i = 0; i < 4; i++)
		arg[i] = va_arg(args, unsigned long);
	va_end(args);
	return next(option, arg[0], arg[1], arg[2], arg[3]);
}
