// SPDX-License-Identifier: MIT
/* Comparing what a user names with what a profile has. */
#include <stdlib.h>
#include <string.h>

#include "named.h"
#include "rows.h"
#include "util.h"

bool name_means(const char *wanted, const char *name, const char *system_name)
{
	size_t length = strlen(wanted);

	return !strcmp(name, wanted) || !strcmp(system_name, wanted) ||
	       (!strncmp(name, wanted, length) && name[length] == '(');
}

/* A path from here, such as ./program, where the profile has it from the root. */
static bool leads_to(const char *wanted, size_t length, const char *path)
{
	char *name, *real = NULL;
	bool same;

	if (*wanted == '/' || !memchr(wanted, '/', length))
		return false;
	name = xasprintf("%.*s", (int)length, wanted);
	if (!strcmp(base_name(name), base_name(path)))
		real = realpath(name, NULL);
	same = real && !strcmp(real, path);
	free(real);
	free(name);
	return same;
}

bool object_means(const char *wanted, size_t length, const char *path)
{
	const char *base = base_name(path);

	return (strlen(base) == length && !strncmp(base, wanted, length)) ||
	       (strlen(path) == length && !strncmp(path, wanted, length)) ||
	       leads_to(wanted, length, path);
}
