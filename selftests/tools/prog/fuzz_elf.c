// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads damaged copies of an ELF file as profil does: "fuzz_elf FILE ROUNDS".
 * A sanitizer judges.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object.h"
#include "symbols.h"

#define SIZE_MAX_READ	(1u << 20)

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
}

/* Headers are at both ends, so that these are hit more often. */
static void damage(unsigned char *data, size_t size)
{
	static const uint64_t odd[] = {
		0, 1, 0x7f, 0xff, 0x7fffffff, 0xffffffff,
		0x7fffffffffffffff, 0xffffffffffffffff,
	};
	uint32_t hits = 1 + draw(12), at, width;

	while (hits--) {
		switch (draw(4)) {
		case 0:
			at = draw(64);
			break;
		case 1:
			at = draw(1024);
			break;
		case 2:
			at = (uint32_t)size - 1 - draw(2048);
			break;
		default:
			at = draw((uint32_t)size);
			break;
		}
		width = 1u << draw(4);
		if (at + width > size)
			continue;
		memcpy(data + at, &odd[draw(8)], width);
	}
}

static void read_names(int fd)
{
	struct object *object = object_from_file("/damaged", fd);
	struct names *names = names_read(object);
	struct name name;
	uint64_t vaddr;

	if (!names)
		return;
	for (vaddr = 0; vaddr < 0x8000; vaddr += 16)
		if (names_find(names, vaddr, &name) &&
		    !strlen(names_readable(name.raw)))
			abort();
	names_free(names);
}

int main(int argc, char **argv)
{
	static unsigned char good[SIZE_MAX_READ], bad[SIZE_MAX_READ];
	long rounds = argc > 2 ? atol(argv[2]) : 0, i;
	ssize_t size;
	int fd;

	fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	size = fd < 0 ? -1 : read(fd, good, sizeof(good));
	if (size < 4096)
		return 2;
	for (i = 0; i < rounds; i++) {
		memcpy(bad, good, (size_t)size);
		state = (uint64_t)i * 2654435761u + 1;
		damage(bad, (size_t)size);
		fd = memfd_create("damaged", MFD_CLOEXEC);
		if (fd < 0 || write(fd, bad, (size_t)size) != size)
			return 2;
		/* Some are cut short as well. */
		if (!draw(4) && ftruncate(fd, draw((uint32_t)size)))
			return 2;
		read_names(fd);
		close(fd);
	}
	printf("%ld rounds\n", i);
	return 0;
}
