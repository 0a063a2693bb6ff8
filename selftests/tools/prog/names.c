// SPDX-License-Identifier: GPL-2.0-only
/* The function at an address of an ELF file, as profil names it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "object.h"
#include "symbols.h"

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
	struct object *object;
	struct names *names;
	struct name name;

	if (fd < 0)
		return 2;
	object = object_from_file(argv[1], fd);
	names = names_read(object);
	if (!names || !names_find(names, strtoull(argv[2], NULL, 16), &name))
		return 1;
	printf("%s", names_readable(name.raw));
	if (name.has_plus)
		printf("+%#llx", (unsigned long long)name.plus);
	puts(name.suffix);
	return 0;
}
