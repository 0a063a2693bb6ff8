// SPDX-License-Identifier: MIT
/* A -pg program that gets SIGTERM while the library starts: it asks for a variable. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

char *secure_getenv(const char *name)
{
	static int asked;

	if (!strcmp(name, "PROFDIR") && asked++)
		raise(SIGTERM);
	return getenv(name);
}

int main(void)
{
	return 0;
}
