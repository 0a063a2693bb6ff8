// SPDX-License-Identifier: MIT
/*
 * Go's table of functions, which its own stack traces need:
 *
 *	magic, 0, 0, quantum, size of a pointer
 *	number of functions, number of files
 *	start of the text			since Go 1.18
 *	offsets of: names, units, files, pcs, functions
 *
 * At the last of these is a list of (start, offset of more) and the end of the
 * last function.  Starts are addresses, since Go 1.18 distances from the text, of
 * 32 bits.  What is more begins with the start and the offset of the name.
 *
 * Nothing of it is trusted: each offset and each name lies in the table.
 */
#include <string.h>

#include "gopclntab.h"

#define MAGIC_1_16	0xfffffffau
#define MAGIC_1_18	0xfffffff0u
#define MAGIC_1_20	0xfffffff1u
#define HEAD		8

enum { NAMES = 0, FUNCTIONS = 4 };	/* among the offsets */

static bool read_number(const struct gopclntab *table, uint64_t at,
			size_t width, uint64_t *number)
{
	uint32_t small;

	if (at > table->size || table->size - at < width)
		return false;
	if (width == sizeof(small)) {
		memcpy(&small, table->bytes + at, sizeof(small));
		*number = small;
	} else {
		memcpy(number, table->bytes + at, sizeof(*number));
	}
	return true;
}

struct layout {
	size_t pointer;		/* bytes */
	bool has_text;		/* distances from it, of 32 bits */
	uint64_t nr, text, names, functions;
};

static bool read_layout(const struct gopclntab *table, struct layout *layout)
{
	uint64_t magic, at;
	size_t word;

	if (!read_number(table, 0, 4, &magic) || table->size < HEAD ||
	    table->bytes[4] || table->bytes[5])
		return false;
	word = table->bytes[7];
	if ((word != 4 && word != 8) ||
	    (magic != MAGIC_1_16 && magic != MAGIC_1_18 && magic != MAGIC_1_20))
		return false;
	layout->pointer = word;
	layout->has_text = magic != MAGIC_1_16;
	layout->text = 0;
	at = HEAD + (layout->has_text ? 3 : 2) * word;
	return read_number(table, HEAD, word, &layout->nr) &&
	       (!layout->has_text ||
		read_number(table, HEAD + 2 * word, word, &layout->text)) &&
	       read_number(table, at + NAMES * word, word, &layout->names) &&
	       read_number(table, at + FUNCTIONS * word, word,
			   &layout->functions) &&
	       layout->names <= table->size && layout->functions <= table->size;
}

static const char *name_of(const struct gopclntab *table,
			   const struct layout *layout, uint64_t more)
{
	uint64_t at = layout->functions + more, name;
	const char *text;

	at += layout->has_text ? 4 : layout->pointer;
	if (more > table->size || !read_number(table, at, 4, &name))
		return NULL;
	name += layout->names;
	if (name >= table->size)
		return NULL;
	text = (const char *)table->bytes + name;
	return memchr(text, '\0', table->size - name) ? text : NULL;
}

bool gopclntab_read(const struct gopclntab *table,
		    void (*found)(void *arg, uint64_t start, uint64_t end,
				  const char *name),
		    void *arg)
{
	uint64_t start, end, more, at, i;
	struct layout layout;
	const char *name;
	size_t width;

	if (!read_layout(table, &layout))
		return false;
	width = layout.has_text ? 4 : layout.pointer;
	for (i = 0; i < layout.nr; i++) {
		at = layout.functions + 2 * i * width;
		if (!read_number(table, at, width, &start) ||
		    !read_number(table, at + width, width, &more) ||
		    !read_number(table, at + 2 * width, width, &end))
			break;
		name = name_of(table, &layout, more);
		if (name && start < end)
			found(arg, layout.text + start, layout.text + end, name);
	}
	return true;
}
