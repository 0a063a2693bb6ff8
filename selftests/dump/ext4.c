// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the file system of a disk adds: quotas, freezing, blocks reserved for
 * root, and mappings whose writes it must see.
 */
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/quota.h>

#include "dump_test.h"

#define OTHER	12345
#define BYTES	(16UL << 20)

FIXTURE(ext4) {
	struct dump_area area;
	char image[60];
	char disk[20];
	int loop;
	int status;
};

static int attach(struct _test_data_ext4 *self)
{
	int control = open("/dev/loop-control", O_RDWR);
	int fd = open(self->image, O_RDWR);
	int nr = ioctl(control, LOOP_CTL_GET_FREE);

	close(control);
	snprintf(self->disk, sizeof(self->disk), "/dev/loop%d", nr);
	self->loop = nr < 0 ? -1 : open(self->disk, O_RDWR);
	if (ioctl(self->loop, LOOP_SET_FD, fd))
		return -1;
	close(fd);
	return mount(self->disk, self->area.dir, "ext4", 0, "usrquota");
}

FIXTURE_SETUP(ext4)
{
	char command[140];
	int fd;

	self->area = area_make();
	snprintf(self->image, sizeof(self->image), "%s.image", self->area.dir);
	fd = open(self->image, O_RDWR | O_CREAT, 0600);
	ASSERT_EQ(0, ftruncate(fd, BYTES));
	close(fd);
	snprintf(command, sizeof(command),
		 "modprobe -qa loop ext4 quota_v2; /sbin/mke2fs -q -F -t ext4 -O quota -m 20 %s",
		 self->image);
	/* The harness would go on to the test. */
	if (system(command) || attach(self)) {
		unlink(self->image);
		area_remove(&self->area);
		SKIP(_exit(255), "a kernel without ext4, quotas or loop devices");
	}
	snprintf(command, sizeof(command), "%s/lost+found", self->area.dir);
	ASSERT_EQ(0, rmdir(command));
	ASSERT_EQ(0, chown(self->area.dir, OTHER, OTHER));
}

FIXTURE_TEARDOWN(ext4)
{
	EXPECT_TRUE(unmounts(self->area.dir));
	EXPECT_EQ(0, ioctl(self->loop, LOOP_CLR_FD));
	close(self->loop);
	unlink(self->image);
	area_remove(&self->area);
}

/* The child of an ordinary user, that ends. */
static pid_t end_as_other(struct _test_data_ext4 *self)
{
	return ENDED_CHILD({
		if (setgid(OTHER) || setuid(OTHER))
			_exit(1);
		ask_and_complete(&self->area);
	});
}

/* In KiB; 0 is no limit. */
static int limit_other(const char *disk, uint64_t kib)
{
	struct dqblk quota = {
		.dqb_bhardlimit = kib,
		.dqb_valid = QIF_BLIMITS,
	};

	return quotactl(QCMD(Q_SETQUOTA, USRQUOTA), disk, OTHER,
			(void *)&quota);
}

TEST_F(ext4, beyond_the_users_quota_there_is_no_file)
{
	pid_t pid;

	/* Its directory takes some of it, and its file 12 KiB. */
	ASSERT_EQ(0, limit_other(self->disk, 12));
	end_as_other(self);
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
	ASSERT_EQ(0, limit_other(self->disk, 64));
	pid = end_as_other(self);
	EXPECT_EQ(1, area_written(&self->area, pid));
}

static int set_flags_of(const char *dir, int flags)
{
	int fd = open(dir, O_RDONLY);
	int ret = ioctl(fd, FS_IOC_SETFLAGS, &flags);

	close(fd);
	return ret;
}

TEST_F(ext4, unremovable_file_left_empty)
{
	struct stat st;
	pid_t pid;

	ASSERT_EQ(0, limit_other(self->disk, 12));
	ASSERT_EQ(0, set_flags_of(self->area.dir, FS_APPEND_FL));
	pid = end_as_other(self);
	EXPECT_EQ(0, self->status);
	ASSERT_EQ(0, stat(area_name(&self->area, pid), &st));
	EXPECT_EQ(0, st.st_size);
	EXPECT_EQ(0, st.st_blocks);
}

TEST_F(ext4, the_blocks_that_are_roots_are_not_taken)
{
	char name[60];
	int fd;

	snprintf(name, sizeof(name), "%s/fill", self->area.dir);
	fd = open(name, O_WRONLY | O_CREAT, 0644);
	ASSERT_EQ(0, fchown(fd, OTHER, OTHER));
	close(fd);
	EXPECT_CHILD({
		static char bytes[1024];

		if (setgid(OTHER) || setuid(OTHER))
			_exit(1);
		fd = open(name, O_WRONLY);
		while (write(fd, bytes, sizeof(bytes)) > 0)
			;
		if (fsync(fd))
			_exit(0);
	});
	end_as_other(self);
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_files(&self->area));
}

TEST_F(ext4, frozen_it_gets_the_file_when_it_thaws)
{
	int dir = open(self->area.dir, O_RDONLY);
	pid_t pid;

	ASSERT_LE(0, dir);
	ASSERT_EQ(0, ioctl(dir, FIFREEZE, 0));
	pid = fork();
	if (!pid) {
		ask_and_complete(&self->area);
		_exit(0);
	}
	usleep(500000);
	EXPECT_EQ(0, ioctl(dir, FITHAW, 0));
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(1, area_written(&self->area, pid));
	close(dir);
}

static void *map_file(const char *dir, int flags)
{
	char name[60];
	void *map;
	int fd;

	snprintf(name, sizeof(name), "%s/mapped", dir);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	if (ftruncate(fd, PAGE))
		return MAP_FAILED;
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);
	close(fd);
	return map;
}

TEST_F(ext4, shared_mapping_no_buffer_private_is)
{
	char *shared = map_file(self->area.dir, MAP_SHARED);
	char *private = map_file(self->area.dir, MAP_PRIVATE);

	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_NE(MAP_FAILED, private);
	EXPECT_EQ(EOPNOTSUPP, set_region(all_region(shared, 8)));
	ASSERT_EQ(0, set_region(all_region(private, 8)));
	burn(5);
	EXPECT_EQ(stop().books.binned, counter(private, 8, 0));
	EXPECT_EQ(0, counter(shared, 8, 0));
	munmap(private, PAGE);
	munmap(shared, PAGE);
}

TEST_HARNESS_MAIN
