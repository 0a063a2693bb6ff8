// SPDX-License-Identifier: MIT
/*
 * A -pg program that asks the loader for its last error, as programs do: there is
 * none, and then one of its own.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	const char *error;

	dlsym(dlopen(NULL, RTLD_NOW), "puts");
	error = dlerror();
	if (error) {
		puts(error);
		return 1;
	}
	dlopen("./no_such_object.so", RTLD_NOW);
	error = dlerror();
	if (!error)
		puts("the error of a dlopen() is gone");
	return !error;
}
