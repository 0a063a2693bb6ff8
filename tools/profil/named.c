// SPDX-License-Identifier: MIT
/* Comparing what a user names with what a profile has. */
#include <string.h>

#include "named.h"
#include "rows.h"

bool name_means(const char *wanted, const char *name, const char *system_name)
{
	size_t length = strlen(wanted);

	return !strcmp(name, wanted) || !strcmp(system_name, wanted) ||
	       (!strncmp(name, wanted, length) && name[length] == '(');
}

bool object_means(const char *wanted, size_t length, const char *path)
{
	const char *base = base_name(path);

	return (strlen(base) == length && !strncmp(base, wanted, length)) ||
	       (strlen(path) == length && !strncmp(path, wanted, length));
}
