// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions at addresses of a library that is loaded, as profil names them
 * when its file is gone: "mapped LIBRARY ADDRESS...", addresses of the linker's.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "object.h"
#include "symbols.h"

int main(int argc, char **argv)
{
	struct view view = { .root = -1, .mem = open("/proc/self/mem",
						     O_RDONLY) };
	struct mapped file = { .dev = 1, .ino = 1, .path = "/gone/plugin.so" };
	const struct object *object;
	struct link_map *map;
	struct names *names;
	struct name name;
	void *library;
	int i;

	library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map))
		return 2;
	file.head = map->l_addr;
	object = object_get(&file, &view);
	printf("%s\n", object->build_id ? object->build_id : "no build id");
	names = names_read(object);
	for (i = 2; names && i < argc; i++) {
		if (!names_find(names, strtoull(argv[i], NULL, 16), &name))
			puts("nothing");
		else if (name.has_plus)
			printf("%s+%#llx\n", name.raw,
			       (unsigned long long)name.plus);
		else
			puts(names_readable(name.raw));
	}
	return !names;
}
