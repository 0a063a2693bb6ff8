// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil top keeps the names of the 32 objects that it used last, but no large
 * ones.  names_read() here only counts its calls, so that the test sees them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "attribute.h"
#include "known.h"
#include "naming.h"

#define KEPT	32
#define LARGE	(KEPT + 8)	/* one whose names are not kept */

static struct object objects[LARGE + 1];
static unsigned int reads[LARGE + 1];

struct object *attribute_object(uint32_t mapping)
{
	return &objects[mapping];
}

struct names *names_read(const struct object *object)
{
	reads[object - objects]++;
	return (struct names *)object;
}

void names_free(struct names *names)
{
}

size_t names_size(const struct names *names)
{
	return names == (void *)&objects[LARGE] ? 9 << 20 : 1000;
}

/* Each address is a function of its own. */
bool names_find(const struct names *names, uint64_t address, struct name *name)
{
	*name = (struct name){ .start = address, .end = address + 1 };
	return true;
}

void naming_texts(const struct name *name, char **raw, char **readable)
{
	*raw = calloc(1, 1);
	*readable = calloc(1, 1);
}

void naming_set_texts(struct model *m, uint32_t location, const char *raw,
		      const char *readable)
{
}

/* Whether its names had to be read for an address that was not seen before. */
static bool is_read(uint32_t object)
{
	static uint64_t address;
	struct location locations[2] = {
		[1] = { .mapping = object, .address = ++address },
	};
	struct model m = { .nr_locations = 1, .locations = locations };
	unsigned int before = reads[object];

	known_names(&m);
	return reads[object] > before;
}

static int expect(bool good, const char *what)
{
	if (!good)
		puts(what);
	return !good;
}

int main(void)
{
	int bad = 0;
	uint32_t i;

	for (i = 0; i < KEPT; i++)
		bad += expect(is_read(i), "a new object was not read");
	bad += expect(!is_read(0), "the first was not kept");
	bad += expect(is_read(KEPT), "one more was not read");
	bad += expect(!is_read(0), "one that was used again has gone");
	bad += expect(is_read(1), "the one used longest ago has stayed");
	bad += expect(!is_read(3), "more than one has gone for one");
	bad += expect(is_read(LARGE) && is_read(LARGE), "large names were kept");
	bad += expect(!is_read(3), "large names took the place of others");
	known_forget(&objects[3]);
	bad += expect(is_read(3), "an object that has gone has names");
	return bad != 0;
}
