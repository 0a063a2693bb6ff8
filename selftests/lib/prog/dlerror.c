// SPDX-License-Identifier: MIT
/* A -pg program that asks the loader for its last error, as programs do. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	const char *error;

	dlsym(dlopen(NULL, RTLD_NOW), "puts");
	error = dlerror();
	if (error)
		puts(error);
	return !!error;
}
