// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a jitdump as profil does: "jit_dump FILE SINCE UNTIL ADDRESS..." prints
 * what was at each between the times, with "late" where the file may yet tell.
 * "jit_dump FILE ROUNDS" reads damaged copies, in two steps; a sanitizer judges.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "damage.h"
#include "jit.h"

static void damage(unsigned char *data, size_t size)
{
	uint32_t hits = 1 + draw(8);

	while (hits--)
		put_odd(data, size, draw(2) ? draw((uint32_t)size) : draw(128));
}

static void read_damaged(const unsigned char *data, size_t size)
{
	unsigned char *copy = malloc(size);
	int fd = memfd_create("damaged", 0), i;
	struct jit jit = JIT_NEW;

	memcpy(copy, data, size);
	damage(copy, size);
	if (fd < 0 || pwrite(fd, copy, draw((uint32_t)size), 0) < 0)
		exit(2);
	jit_read_dump(&jit, fd, geteuid(), 1);
	if (pwrite(fd, copy, size, 0) < 0)
		exit(2);
	jit_read_dump(&jit, fd, geteuid(), 2);
	for (i = 0; i < 100; i++)
		jit_find(&jit, 0x1000 + draw(0x2000), draw(500), draw(1000));
	jit_free(&jit);
	close(fd);
	free(copy);
}

static int fuzz(int fd, long rounds)
{
	unsigned char data[1 << 16];
	ssize_t size = pread(fd, data, sizeof(data), 0);

	if (size <= 128)
		return 2;
	while (rounds--)
		read_damaged(data, (size_t)size);
	return 0;
}

int main(int argc, char **argv)
{
	struct jit jit = JIT_NEW;
	int64_t since, until;
	const char *name;
	int fd, i;

	if (argc < 3)
		return 2;
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		return 2;
	if (argc == 3)
		return fuzz(fd, atol(argv[2]));
	since = atoll(argv[2]);
	until = atoll(argv[3]);
	jit_read_dump(&jit, fd, geteuid(), 1000);
	for (i = 4; i < argc; i++) {
		name = jit_find(&jit, strtoull(argv[i], NULL, 16), since,
				until);
		printf("%s%s\n", name ? name : "nothing",
		       jit_is_late(&jit, name, until) ? " late" : "");
	}
	jit_free(&jit);
	close(fd);
	return 0;
}
