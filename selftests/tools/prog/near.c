// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the names that names_read_near() finds for a few random addresses with
 * those that names_read() finds: "near FILE ROUNDS".
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"
#include "object.h"
#include "symbols.h"

#define ASKED_MAX	16

static int by_address(const void *one, const void *two)
{
	const uint64_t *a = one, *b = two;

	return *a < *b ? -1 : *a > *b;
}

static bool is_same(const struct names *all, const struct names *near,
		    uint64_t address)
{
	struct name a = { 0 }, b = { 0 };
	bool is_named = names_find(all, address, &a);

	if (names_find(near, address, &b) != is_named) {
		printf("%#llx has a name in one\n", (unsigned long long)address);
		return false;
	}
	if (!is_named || (!strcmp(a.raw, b.raw) && a.start == b.start &&
			  a.end == b.end && a.plus == b.plus &&
			  !strcmp(a.suffix, b.suffix)))
		return true;
	printf("%#llx: %s %#llx-%#llx or %s %#llx-%#llx\n",
	       (unsigned long long)address,
	       a.raw, (unsigned long long)a.start, (unsigned long long)a.end,
	       b.raw, (unsigned long long)b.start, (unsigned long long)b.end);
	return false;
}

/* An address in any segment, or beside one. */
static uint64_t draw_address(const struct object *object)
{
	const struct segment *text;

	text = &object->segments[draw((uint32_t)object->nr_segments)];
	if (!draw(8))
		return draw(2) ? 0 : text->vaddr + text->size + draw(64);
	return text->vaddr + draw((uint32_t)text->size) / (draw(4) ? 1 : 256);
}

static bool round_is_same(const struct object *object, const struct names *all)
{
	uint64_t asked[ASKED_MAX];
	size_t nr = 1 + draw(ASKED_MAX), i;
	struct names *near;
	bool ret = true;

	for (i = 0; i < nr; i++)
		asked[i] = i && !draw(8) ? asked[i - 1] : draw_address(object);
	qsort(asked, nr, sizeof(*asked), by_address);
	near = names_read_near(object, asked, nr);
	for (i = 0; i < nr; i++)
		ret &= is_same(all, near, asked[i]);
	if (names_size(near) >= names_size(all)) {
		puts("no symbol was left out");
		ret = false;
	}
	names_free(near);
	return ret;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1, rounds;
	const struct object *object;
	struct names *all;
	bool ret = true;

	if (fd < 0)
		return 2;
	object = object_from_file(argv[1], fd);
	all = names_read(object);
	if (!all || !object->nr_segments)
		return 2;
	for (rounds = atoi(argv[2]); rounds; rounds--)
		ret &= round_is_same(object, all);
	names_free(all);
	return !ret;
}
