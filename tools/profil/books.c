// SPDX-License-Identifier: MIT
/* The command line and the kernel's books, as comments of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.h"
#include "util.h"

#define BOOK(name) { #name ": ", offsetof(struct books, name) }

static const struct book {
	const char *prefix;
	size_t offset;
} list[] = {
	BOOK(seen), BOOK(counted), BOOK(unplaced), BOOK(refused), BOOK(lost),
	BOOK(left), BOOK(not_followed), BOOK(wall_ns), BOOK(cpu_ns),
};

static const char command[] = "command: ";

void books_write(const struct model *m,
		 void (*comment)(void *context, const char *text),
		 void *context)
{
	uint64_t value;
	char *text;
	size_t i;

	text = xasprintf("%s%s", command, m->command);
	comment(context, text);
	free(text);
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		memcpy(&value, (const char *)&m->books + list[i].offset,
		       sizeof(value));
		text = xasprintf("%s%llu", list[i].prefix,
				 (unsigned long long)value);
		comment(context, text);
		free(text);
	}
	for (i = 0; i < m->nr_comments; i++)
		comment(context, m->comments[i]);
}

bool books_read(struct model *m, const char *comment)
{
	uint64_t value;
	size_t i, length;

	if (!strncmp(comment, command, strlen(command))) {
		m->command = model_string(m, comment + strlen(command));
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		length = strlen(list[i].prefix);
		if (strncmp(comment, list[i].prefix, length) != 0)
			continue;
		value = strtoull(comment + length, NULL, 10);
		memcpy((char *)&m->books + list[i].offset, &value,
		       sizeof(value));
		return true;
	}
	return false;
}
