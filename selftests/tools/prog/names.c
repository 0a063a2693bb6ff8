// SPDX-License-Identifier: GPL-2.0-only
/* The function at each address of an ELF file, as profil names it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "object.h"
#include "symbols.h"

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	static struct object *object;
	struct names *names;
	struct name name;
	int i;

	if (fd < 0)
		return 2;
	object = object_from_file(argv[1], fd);
	names = names_read(object);
	for (i = 2; names && i < argc; i++) {
		if (!names_find(names, strtoull(argv[i], NULL, 16), &name))
			return 1;
		printf("%s", names_readable(name.raw));
		if (name.has_plus)
			printf("+%#llx", (unsigned long long)name.plus);
		puts(name.suffix);
	}
	if (!names)
		return 1;
	names_free(names);
	return 0;
}
