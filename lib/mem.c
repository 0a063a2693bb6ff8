// SPDX-License-Identifier: MIT
/*
 * Memory for what is counted: a forked child finds zeroes there, so that what
 * it counts is its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

size_t profil_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The kernel's side charges a huge page whole to RLIMIT_MEMLOCK. */
void profil_map_small(void *map, size_t size)
{
	int err = errno;

	/* A kernel without huge pages says EINVAL. */
	madvise(map, size, MADV_NOHUGEPAGE);
	errno = err;
}

void *profil_map(size_t stays, size_t wiped)
{
	size_t page = profil_page_size();
	size_t size;
	char *map;

	stays = (stays + page - 1) & -page;
	wiped = (wiped + page - 1) & -page;
	size = stays + wiped;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	profil_map_small(map, size);
	if (wiped && madvise(map + stays, wiped, MADV_WIPEONFORK) != 0) {
		munmap(map, size);
		return NULL;
	}
	return map;
}
