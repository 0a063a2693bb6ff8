// SPDX-License-Identifier: MIT
/*
 * A -pg program calls dlerror() twice.  The first call finds no error, because all
 * went well.  The second finds that of a dlopen() which failed.
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
