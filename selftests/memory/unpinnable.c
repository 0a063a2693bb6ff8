// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that must not be pinned: pages of a file system that tracks writes,
 * and pages of a device.
 */
#include <stdlib.h>
#include <sys/mount.h>

#include "profil_test.h"

FIXTURE(unpinnable) {
	char *buffer;
};

FIXTURE_SETUP(unpinnable)
{
	self->buffer = map_buffer(4 * PAGE);
}

FIXTURE_TEARDOWN(unpinnable)
{
	stop();
	munmap(self->buffer, 4 * PAGE);
}

static int ramfs_file(char *directory)
{
	int fd;

	if (!mkdtemp(directory) ||
	    mount("none", directory, "ramfs", 0, NULL) || chdir(directory))
		return -1;
	fd = open("file", O_RDWR | O_CREAT, 0600);
	if (fd >= 0 && ftruncate(fd, PAGE))
		return -1;
	return fd;
}

static void ramfs_end(const char *directory, int fd)
{
	close(fd);
	if (chdir("/") || umount2(directory, MNT_DETACH) || rmdir(directory))
		ksft_print_msg("%s stays behind\n", directory);
}

/* The second of two mappings; the pin of 6.1 would let it through. */
TEST_F(unpinnable, shared_file_in_middle_is_eopnotsupp)
{
	char directory[] = "/tmp/profil_test_XXXXXX";
	struct profil_region region = hot_region(self->buffer, 8);
	int fd = ramfs_file(directory);

	ASSERT_LE(0, fd);
	region.size = 3 * PAGE;
	ASSERT_NE(MAP_FAILED, mmap(self->buffer + PAGE, PAGE,
				   PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, fd, 0));
	EXPECT_EQ(EOPNOTSUPP, set_region(region));
	munmap(self->buffer + PAGE, PAGE);
	ramfs_end(directory, fd);
}

TEST_F(unpinnable, buffer_becoming_shared_file_is_off)
{
	char directory[] = "/tmp/profil_test_XXXXXX";
	int fd = ramfs_file(directory), i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	burn(2);
	ASSERT_NE(MAP_FAILED, mmap(self->buffer, PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, fd, 0));
	for (i = 0; i < 2000 && query().state; i++)
		hot_a(100000);
	EXPECT_EQ(PROFIL_STATE_OFF, query().state);
	EXPECT_EQ(PROFIL_REASON_UNSUPPORTED, query().reason);
	EXPECT_EQ(0, counter(self->buffer, 8, 0));
	munmap(self->buffer, PAGE);
	ramfs_end(directory, fd);
}

/* Below 1 MiB, which STRICT_DEVMEM leaves open to root. */
TEST_F(unpinnable, device_memory_is_eopnotsupp)
{
	int fd = open("/dev/mem", O_RDWR);
	void *rom = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0xf0000);

	if (fd < 0 || rom == MAP_FAILED)
		SKIP(return, "no /dev/mem");
	EXPECT_EQ(EOPNOTSUPP, set_region(all_region(rom, 8)));
	munmap(rom, PAGE);
	close(fd);
}

TEST_HARNESS_MAIN
