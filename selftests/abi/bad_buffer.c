// SPDX-License-Identifier: GPL-2.0-only
/*
 * Invalid buffers: the call fails with the errno for each, the old profile goes
 * on, and the module writes nothing to the log.
 */
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "profil_test.h"

FIXTURE(bad_buffer) {
	void *good;
	void *buffer;
	struct profil_region region;
	int log;
};

static void begin_again(void *good)
{
	stop();
	memset(good, 0, 8);
	if (set_region(all_region(good, 8)))
		exit(KSFT_FAIL);
}

/*
 * New lines of the log.  Others write there too, about a slow machine for one.
 */
static int lines_of_the_module(int log)
{
	char line[2000];
	int n = 0;

	for (;;) {
		ssize_t len = read(log, line, sizeof(line) - 1);

		if (len < 0 && errno != EPIPE)
			return errno == EAGAIN ? n : -1;
		line[len > 0 ? len : 0] = 0;
		if (strstr(line, "profil")) {
			fprintf(stderr, "# %s", line);
			n++;
		}
	}
}

FIXTURE_SETUP(bad_buffer)
{
	self->good = map_buffer(PAGE);
	self->buffer = map_buffer(4 * PAGE);
	self->region = hot_region(self->buffer, 2);
	self->region.size = PAGE;
	ASSERT_EQ(0, set_region(all_region(self->good, 8)));
	self->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, self->log);
	lseek(self->log, 0, SEEK_END);
}

FIXTURE_TEARDOWN(bad_buffer)
{
	struct profil_status status = query();

	EXPECT_EQ(PROFIL_STATE_ON, status.state);
	EXPECT_EQ(1, status.nr_regions);
	burn(2);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, counter(self->good, 8, 0));
	EXPECT_EQ(0, lines_of_the_module(self->log));
	close(self->log);
	munmap(self->good, PAGE);
	munmap(self->buffer, 4 * PAGE);
}

TEST_F(bad_buffer, null_is_efault)
{
	self->region.base = 0;
	EXPECT_EQ(EFAULT, set_region(self->region));
}

TEST_F(bad_buffer, read_only_is_efault)
{
	ASSERT_EQ(0, mprotect(self->buffer, PAGE, PROT_READ));
	EXPECT_EQ(EFAULT, set_region(self->region));
	ASSERT_EQ(0, mprotect(self->buffer, PAGE, PROT_NONE));
	EXPECT_EQ(EFAULT, set_region(self->region));
}

TEST_F(bad_buffer, partly_read_only_is_efault)
{
	self->region.size = 3 * PAGE;
	ASSERT_EQ(0, mprotect(self->buffer + PAGE, PAGE, PROT_READ));
	EXPECT_EQ(EFAULT, set_region(self->region));
}

TEST_F(bad_buffer, kernel_space_is_efault)
{
	self->region.base = 0xffff888000000000;
	EXPECT_EQ(EFAULT, set_region(self->region));
	self->region.base = 0xffffffffff600000;
	EXPECT_EQ(EFAULT, set_region(self->region));
	self->region.base = 0x0000800000000000;
	EXPECT_EQ(EFAULT, set_region(self->region));
}

TEST_F(bad_buffer, misaligned_is_einval)
{
	uint32_t width;

	for (width = 2; width <= 8; width *= 2) {
		uint32_t by;

		self->region.width = width;
		for (by = 1; by < 8; by++) {
			self->region.base = addr(self->buffer) + PAGE - by;
			EXPECT_EQ(by % width ? EINVAL : 0,
				  set_region(self->region));
		}
	}
	begin_again(self->good);
}

TEST_F(bad_buffer, wrapping_is_efault)
{
	self->region.base = UINT64_MAX - PAGE + 1;
	self->region.size = 2 * PAGE;
	EXPECT_EQ(EFAULT, set_region(self->region));
	self->region.base = addr(self->buffer);
	self->region.size = UINT64_MAX - 1;
	EXPECT_EQ(EFAULT, set_region(self->region));
}

TEST_F(bad_buffer, region_longer_than_mapping_is_efault)
{
	ASSERT_EQ(0, munmap(self->buffer + 3 * PAGE, PAGE));
	self->region.size = 4 * PAGE;
	EXPECT_EQ(EFAULT, set_region(self->region));
	self->region.size = 3 * PAGE;
	EXPECT_EQ(0, set_region(self->region));
	begin_again(self->good);
}

TEST_F(bad_buffer, smaller_than_a_counter_is_einval)
{
	self->region.size = 1;
	EXPECT_EQ(EINVAL, set_region(self->region));
	self->region.size = 0;
	EXPECT_EQ(EINVAL, set_region(self->region));
	self->region.width = 8;
	self->region.size = 7;
	EXPECT_EQ(EINVAL, set_region(self->region));
}

TEST_F(bad_buffer, other_widths_are_einval)
{
	static const uint32_t widths[] = { 0, 1, 3, 5, 6, 7, 9, 16, 1U << 31 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		self->region.width = widths[i];
		EXPECT_EQ(EINVAL, set_region(self->region));
	}
}

TEST_F(bad_buffer, other_scales_are_einval)
{
	self->region.scale = 0;
	EXPECT_EQ(EINVAL, set_region(self->region));
	self->region.scale = PROFIL_SCALE_MAX + 1;
	EXPECT_EQ(EINVAL, set_region(self->region));
	self->region.scale = PROFIL_SCALE_MAX;
	EXPECT_EQ(0, set_region(self->region));
	begin_again(self->good);
}

TEST_F(bad_buffer, a_second_overflow_region_is_einval)
{
	struct profil_region regions[2] = {
		all_region(self->buffer, 8), all_region(self->buffer, 8),
	};

	EXPECT_EQ(EINVAL, set_regions(regions, 2));
	regions[1].scale = 4;
	EXPECT_EQ(EINVAL, set_region(regions[1]));
}

/* ramfs: as on a disk, the pages belong to the file system's cache. */
TEST_F(bad_buffer, shared_mapping_of_a_file_is_eopnotsupp)
{
	char directory[] = "/tmp/profil_test_XXXXXX";
	void *shared, *private;
	int fd;

	ASSERT_NE(NULL, mkdtemp(directory));
	ASSERT_EQ(0, mount("none", directory, "ramfs", 0, NULL));
	ASSERT_EQ(0, chdir(directory));
	fd = open("file", O_RDWR | O_CREAT, 0600);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, PAGE));
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, shared);
	self->region.base = addr(shared);
	EXPECT_EQ(EOPNOTSUPP, set_region(self->region));

	private = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, private);
	self->region.base = addr(private);
	EXPECT_EQ(0, set_region(self->region));
	begin_again(self->good);

	munmap(private, PAGE);
	munmap(shared, PAGE);
	close(fd);
	ASSERT_EQ(0, chdir("/"));
	EXPECT_EQ(0, umount(directory));
	rmdir(directory);
}

TEST_F(bad_buffer, over_the_memlock_limit_is_enomem)
{
	struct rlimit limit;

	EXPECT_CHILD({
		limit = (struct rlimit) { 3 * PAGE, 3 * PAGE };
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || setuid(65534))
			_exit(1);
		self->region.size = 4 * PAGE;
		if (set_region(self->region) != ENOMEM)
			_exit(2);
		self->region.size = 3 * PAGE;
		if (set_region(self->region) != 0)
			_exit(3);
		/*
		 * The old profile is uncharged before the new one is charged.
		 */
		if (set_region(self->region) != 0)
			_exit(4);
		self->region.size = 4 * PAGE;
		if (set_region(self->region) != ENOMEM ||
		    query().state != PROFIL_STATE_ON)
			_exit(5);
	});
}

TEST_HARNESS_MAIN
