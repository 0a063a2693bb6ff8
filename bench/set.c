// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of starting and stopping a profile, by the size of its buffer.
 *
 *	set KIB TIMES
 *
 * Prints instructions for both together.
 */
#include <fcntl.h>
#include <profil/ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "work.h"

static int device;

static void set_and_stop(void *buffer, size_t size)
{
	struct profil_status status = { .size = sizeof(status) };
	struct profil_region region = {
		.base = (uintptr_t)buffer,
		.size = size,
		.scale = 0x10000,
		.width = 2,
	};
	struct profil_set set = {
		.size = sizeof(set),
		.regions = (uintptr_t)&region,
		.nr_regions = 1,
		.region_size = sizeof(region),
	};

	if (ioctl(device, PROFIL_IOC_SET, &set) ||
	    ioctl(device, PROFIL_IOC_STOP, &status))
		die(PROFIL_DEVICE);
}

int main(int argc, char **argv)
{
	uint64_t then;
	size_t size;
	char *buffer;
	int times, i;

	if (argc != 3) {
		fputs("usage: set KIB TIMES\n", stderr);
		return 2;
	}
	size = strtoul(argv[1], NULL, 0) << 10;
	times = atoi(argv[2]);
	device = open(PROFIL_DEVICE, O_RDWR);
	buffer = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (device < 0 || buffer == MAP_FAILED)
		die(PROFIL_DEVICE);
	madvise(buffer, size, MADV_NOHUGEPAGE);
	memset(buffer, 0, size);
	for (i = 0; i < 10; i++)
		set_and_stop(buffer, size);
	then = now();
	for (i = 0; i < times; i++)
		set_and_stop(buffer, size);
	printf("%lu\n", (now() - then) / times);
	return 0;
}
