// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "OpenBSD in full": never through a link, never onto another's
 * file; and where a file can't be written, no part of one.
 *
 * The child's pid is known before it ends, so that a trap can be put where its
 * file will be.
 */
#include <sys/sysmacros.h>

#include "dump_test.h"

#define OTHER	12345

FIXTURE(dump_file) {
	struct dump_area area;
	char victim[60];
	int status;
	int go[2];
	pid_t pid;
};

static int read_victim(const char *name)
{
	char text[10] = "";
	int fd = open(name, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text));

	close(fd);
	return n == 6 && !memcmp(text, "victim", 6);
}

static int make_file(const char *name, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);

	if (fd < 0 || write(fd, "victim", 6) != 6 || fchmod(fd, mode))
		return -1;
	return close(fd);
}

/* A child that has asked and waits until it may end. */
FIXTURE_SETUP(dump_file)
{
	int ready[2];
	char byte = 1;

	self->area = area_make();
	snprintf(self->victim, sizeof(self->victim), "%s/victim",
		 self->area.dir);
	ASSERT_EQ(0, make_file(self->victim, 0600));
	ASSERT_EQ(0, pipe(self->go));
	ASSERT_EQ(0, pipe(ready));
	self->pid = fork();
	if (!self->pid) {
		close(self->go[1]);
		byte = area_set(&self->area);
		area_complete(&self->area);
		if (write(ready[1], &byte, 1) != 1 ||
		    read(self->go[0], &byte, 1))
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	ASSERT_EQ(0, byte);
	close(self->go[0]);
	close(ready[0]);
	close(ready[1]);
}

static void let_go(struct _test_data_dump_file *self)
{
	if (self->go[1] >= 0)
		close(self->go[1]);
	self->go[1] = -1;
	waitpid(self->pid, &self->status, 0);
}

FIXTURE_TEARDOWN(dump_file)
{
	if (self->go[1] >= 0)
		let_go(self);
	EXPECT_EQ(0, self->status);
	area_remove(&self->area);
}

static char *trap(struct _test_data_dump_file *self)
{
	return area_name(&self->area, self->pid);
}

TEST_F(dump_file, never_through_a_symbolic_link)
{
	ASSERT_EQ(0, symlink(self->victim, trap(self)));
	let_go(self);
	EXPECT_EQ(1, read_victim(self->victim));
	EXPECT_EQ(2, area_files(&self->area));
}

TEST_F(dump_file, never_through_a_dangling_link)
{
	char target[80];

	snprintf(target, sizeof(target), "%s/none", self->area.dir);
	ASSERT_EQ(0, symlink(target, trap(self)));
	let_go(self);
	EXPECT_EQ(-1, access(target, F_OK));
	EXPECT_EQ(2, area_files(&self->area));
}

TEST_F(dump_file, never_onto_one_with_two_names)
{
	ASSERT_EQ(0, link(self->victim, trap(self)));
	let_go(self);
	EXPECT_EQ(1, read_victim(self->victim));
	EXPECT_EQ(1, read_victim(trap(self)));
}

TEST_F(dump_file, never_onto_file_of_another_user)
{
	ASSERT_EQ(0, make_file(trap(self), 0600));
	ASSERT_EQ(0, chown(trap(self), OTHER, 0));
	let_go(self);
	EXPECT_EQ(1, read_victim(trap(self)));
}

TEST_F(dump_file, never_onto_one_that_is_open_to_others)
{
	ASSERT_EQ(0, make_file(trap(self), 0640));
	let_go(self);
	EXPECT_EQ(1, read_victim(trap(self)));
}

TEST_F(dump_file, never_onto_a_directory)
{
	ASSERT_EQ(0, mkdir(trap(self), 0700));
	let_go(self);
	EXPECT_EQ(0, rmdir(trap(self)));
}

TEST_F(dump_file, a_fifo_neither_hangs_nor_goes)
{
	struct stat st;

	ASSERT_EQ(0, mkfifo(trap(self), 0600));
	let_go(self);
	ASSERT_EQ(0, stat(trap(self), &st));
	EXPECT_EQ(1, S_ISFIFO(st.st_mode));
}

TEST_F(dump_file, a_fifo_with_a_reader_gets_nothing)
{
	char byte;
	int fd;

	ASSERT_EQ(0, mkfifo(trap(self), 0600));
	fd = open(trap(self), O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	let_go(self);
	EXPECT_EQ(0, read(fd, &byte, 1));
	close(fd);
}

TEST_F(dump_file, a_device_neither_goes_nor_gets_anything)
{
	struct stat st;

	ASSERT_EQ(0, mknod(trap(self), S_IFCHR | 0600,
			   makedev(1, 3)));
	let_go(self);
	ASSERT_EQ(0, stat(trap(self), &st));
	EXPECT_EQ(1, S_ISCHR(st.st_mode));
	EXPECT_EQ(2, area_files(&self->area));
}

TEST_F(dump_file, a_mounted_one_stays)
{
	ASSERT_EQ(0, make_file(trap(self), 0600));
	ASSERT_EQ(0, mount(self->victim, trap(self), NULL, MS_BIND, NULL));
	let_go(self);
	EXPECT_EQ(1, read_victim(self->victim));
	EXPECT_EQ(0, umount(trap(self)));
	EXPECT_EQ(1, read_victim(trap(self)));
}

TEST_F(dump_file, ones_own_is_replaced_by_a_new_one)
{
	char text[10];
	int fd;

	ASSERT_EQ(0, make_file(trap(self), 0600));
	fd = open(trap(self), O_RDONLY);
	ASSERT_LE(0, fd);
	let_go(self);
	EXPECT_EQ(1, area_written(&self->area, self->pid));
	/* A process that has the old file open sees nothing of the new one. */
	EXPECT_EQ(6, read(fd, text, sizeof(text)));
	close(fd);
}

TEST_F(dump_file, a_lease_does_not_hold_it_up)
{
	int fd;

	ASSERT_EQ(0, make_file(trap(self), 0600));
	fd = open(trap(self), O_RDONLY);
	ASSERT_EQ(0, fcntl(fd, F_SETLEASE, F_RDLCK));
	let_go(self);
	EXPECT_EQ(1, area_written(&self->area, self->pid));
	close(fd);
}

FIXTURE(dump_disk) {
	struct dump_area area;
	int status;
};

FIXTURE_SETUP(dump_disk)
{
	self->area = area_make();
}

FIXTURE_TEARDOWN(dump_disk)
{
	EXPECT_EQ(0, umount(self->area.dir));
	area_remove(&self->area);
}

/* A child that ends after it has asked. */
static pid_t end_in(struct _test_data_dump_disk *self)
{
	return ENDED_CHILD({
		ask_and_complete(&self->area);
	});
}

TEST_F(dump_disk, full_disk_leaves_no_part)
{
	char name[120];
	pid_t pid;

	ASSERT_EQ(0, mount("profil", self->area.dir, "tmpfs", 0, "size=16k"));
	/* Room for a page of it. */
	snprintf(name, sizeof(name), "dd if=/dev/zero of=%s/fill bs=4k count=3 2>&1",
		 self->area.dir);
	ASSERT_EQ(0, system(name));
	end_in(self);
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_files(&self->area));

	snprintf(name, sizeof(name), "%s/fill", self->area.dir);
	ASSERT_EQ(0, unlink(name));
	pid = end_in(self);
	EXPECT_EQ(1, area_written(&self->area, pid));
}

TEST_F(dump_disk, no_inode_no_file)
{
	ASSERT_EQ(0, mount("profil", self->area.dir, "tmpfs", 0,
			   "nr_inodes=1"));
	end_in(self);
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

#define GROUP	"/sys/fs/cgroup/profil_dump"

static unsigned long group_shmem(void)
{
	FILE *f = fopen(GROUP "/memory.stat", "r");
	unsigned long bytes = 0;
	char line[100];

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "shmem %lu", &bytes);
	if (f)
		fclose(f);
	return bytes;
}

TEST_F(dump_disk, file_memory_charged_to_cgroup)
{
	const char *why;
	int tries = 300;

	ASSERT_EQ(0, mount("profil", self->area.dir, "tmpfs", 0, NULL));
	why = group_create(GROUP);
	if (why)
		SKIP(return, "%s", why);
	ENDED_CHILD({
		if (system("echo $PPID >" GROUP "/cgroup.procs") ||
		    area_set(&self->area))
			_exit(1);
		area_complete(&self->area);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_files(&self->area));
	/* The cgroup reports small changes late. */
	while (group_shmem() != AREA && tries--)
		usleep(100000);
	EXPECT_EQ(AREA, group_shmem());
	EXPECT_EQ(0, rmdir(GROUP));
}

TEST_F(dump_disk, a_read_only_one_has_no_file)
{
	ASSERT_EQ(0, mount("profil", self->area.dir, "tmpfs", MS_RDONLY, NULL));
	end_in(self);
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_HARNESS_MAIN
