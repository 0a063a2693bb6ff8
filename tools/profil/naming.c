// SPDX-License-Identifier: MIT
/*
 * Names of locations: when they are recorded, and once more when the profile is
 * read, because a debug file may be here by then.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"
#include "naming.h"
#include "rows.h"
#include "util.h"

void naming_texts(const struct name *name, char **raw, char **readable)
{
	if (name->has_plus) {
		*raw = xasprintf("%s+%#llx%s", name->raw,
				 (unsigned long long)name->plus, name->suffix);
		*readable = xstrdup(*raw);
	} else {
		*raw = xasprintf("%s%s", name->raw, name->suffix);
		*readable = xasprintf("%s%s", names_readable(name->raw),
				      name->suffix);
	}
}

void naming_set_texts(struct model *m, uint32_t location, const char *raw,
		      const char *readable)
{
	const struct function function = { .name = readable,
					   .system_name = raw };
	const struct line line = { .function = model_function(m, &function) };

	model_set_lines(m, location, &line, 1);
}

void naming_set(struct model *m, uint32_t location, uint64_t address,
		const struct names *names)
{
	char *raw, *readable;
	struct name name;

	if (!names_find(names, address, &name))
		return;
	naming_texts(&name, &raw, &readable);
	naming_set_texts(m, location, raw, readable);
	free(raw);
	free(readable);
}

bool naming_lacks(const struct model *m, const struct location *loc)
{
	const char *object = base_name(m->mappings[loc->mapping].path);
	size_t length = strlen(object);
	const char *name;

	if (!loc->nr_lines)
		return true;
	name = m->functions[loc->lines[loc->nr_lines - 1].function].name;
	return !strncmp(name, object, length) &&
	       !strncmp(name + length, "+0x", 3);
}

void naming_add(struct model *m, const uint32_t *ids, size_t nr, int fd,
		struct Elf *elf)
{
	struct names *names = NULL;
	const struct location *loc;
	struct object *object;
	uint64_t address;
	size_t i;

	for (i = 0; i < nr; i++) {
		loc = &m->locations[ids[i]];
		if (!naming_lacks(m, loc))
			continue;
		if (!names) {
			object = object_from_file(m->mappings[loc->mapping].path,
						  dup(fd));
			names = names_read(object);
		}
		if (!names)
			return;
		address = loc->address;
		if (!elf || disk_address(elf, location_offset(m, loc),
					 &address))
			naming_set(m, ids[i], address, names);
	}
	if (names)
		names_free(names);
}
