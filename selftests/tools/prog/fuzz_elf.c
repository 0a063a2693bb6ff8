// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads damaged copies of an ELF file as profil does: "fuzz_elf FILE ROUNDS"; with
 * "mapped" behind them it is read from where its segments are mapped.  A
 * sanitizer judges.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "damage.h"
#include "object.h"
#include "symbols.h"

#define SIZE_MAX_READ	(1u << 20)
#define HEAD		4096	/* where the first byte is mapped */

/* Headers are at both ends, so that these are hit more often. */
static void damage(unsigned char *data, size_t size)
{
	uint32_t hits = 1 + draw(12), at;

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
		put_odd(data, size, at);
	}
}

static void read_names(const struct object *object)
{
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

static void read_file(int fd)
{
	read_names(object_from_file("/damaged", fd));
}

static void read_memory(int fd, uint64_t ino)
{
	const struct view view = { .root = -1, .mem = fd };
	const struct mapped file = { .dev = 1, .ino = ino, .path = "/damaged",
				     .head = HEAD };

	read_names(object_get(&file, &view));
}

/* The segments of a file as they are in memory; the size of that. */
static ssize_t load(const unsigned char *from, size_t size, unsigned char *to)
{
	ssize_t end = 0;
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	unsigned int i;

	memcpy(&ehdr, from, sizeof(ehdr));
	for (i = 0; i < ehdr.e_phnum; i++) {
		memcpy(&phdr, from + ehdr.e_phoff + i * sizeof(phdr),
		       sizeof(phdr));
		if (phdr.p_type != PT_LOAD ||
		    phdr.p_offset + phdr.p_filesz > size ||
		    phdr.p_vaddr + phdr.p_filesz > SIZE_MAX_READ - HEAD)
			continue;
		memcpy(to + HEAD + phdr.p_vaddr, from + phdr.p_offset,
		       phdr.p_filesz);
		end = (ssize_t)(HEAD + phdr.p_vaddr + phdr.p_filesz);
	}
	return end;
}

int main(int argc, char **argv)
{
	static unsigned char file[SIZE_MAX_READ], memory[SIZE_MAX_READ];
	static unsigned char bad[SIZE_MAX_READ], *good = file;
	bool mapped = argc > 3 && !strcmp(argv[3], "mapped");
	size_t begin = mapped ? HEAD : 0;
	long rounds = argc > 2 ? atol(argv[2]) : 0, i;
	ssize_t size;
	int fd;

	fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	size = fd < 0 ? -1 : read(fd, file, sizeof(file));
	if (size < 4096)
		return 2;
	if (mapped) {
		size = load(file, (size_t)size, memory);
		good = memory;
	}
	for (i = 0; i < rounds; i++) {
		memcpy(bad, good, (size_t)size);
		draw_state = (uint64_t)i * 2654435761u + 1;
		damage(bad + begin, (size_t)size - begin);
		fd = memfd_create("damaged", MFD_CLOEXEC);
		if (fd < 0 || write(fd, bad, (size_t)size) != size)
			return 2;
		/* Some are cut short as well. */
		if (!draw(4) && ftruncate(fd, draw((uint32_t)size)))
			return 2;
		if (mapped)
			read_memory(fd, (uint64_t)i + 1);
		else
			read_file(fd);
		close(fd);
	}
	printf("%ld rounds\n", i);
	return 0;
}
