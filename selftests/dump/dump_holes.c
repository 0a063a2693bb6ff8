// SPDX-License-Identifier: GPL-2.0-only
/*
 * A range with holes, in untouched memory or in a private mapping of a memfd:
 * they are written as zeros, and charged to the cgroup.
 */
#include "dump_test.h"

#define SIZE	(64 * PAGE)
#define MARK	(40 * PAGE + 7)

FIXTURE(dump_holes) {
	struct dump_area area;
	int status;
	int file;
};

FIXTURE_SETUP(dump_holes)
{
	self->area = area_make();
	self->file = memfd_create("holes", MFD_CLOEXEC);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, SIZE));
}

FIXTURE_TEARDOWN(dump_holes)
{
	close(self->file);
	area_remove(&self->area);
}

/* In a child: asks for the file's whole mapping, and completes it. */
static char *ask_for(struct _test_data_dump_holes *self, size_t size, int prot,
		     int flags)
{
	int dir = open(self->area.dir, O_RDONLY | O_DIRECTORY);
	struct profil_dump dump = area_dump(&self->area, dir);
	char *map = mmap(NULL, size, prot, flags,
			 flags & MAP_ANONYMOUS ? -1 : self->file, 0);

	dump.addr = addr(map);
	dump.size = size;
	*self->area.len = size - HEAD;
	if (map == MAP_FAILED || set_dump(&dump, area_counter(&self->area)))
		_exit(1);
	return map;
}

/* The bytes that the memfd has taken. */
static off_t taken(struct _test_data_dump_holes *self)
{
	struct stat st;

	return fstat(self->file, &st) ? -1 : st.st_blocks * 512;
}

/* 1 if the file is zeros but for one byte, 0 if there is no file. */
static int written(struct _test_data_dump_holes *self, pid_t pid, char mark)
{
	static char bytes[SIZE + 1], zeros[SIZE];
	int fd = open(area_name(&self->area, pid), O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	zeros[MARK] = mark;
	return n == SIZE && !memcmp(bytes, zeros, SIZE) ? 1 : -1;
}

TEST_F(dump_holes, hole_of_private_mapping_may_be_filled)
{
	pid_t pid = ENDED_CHILD(ask_for(self, SIZE, PROT_READ, MAP_PRIVATE));

	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, written(self, pid, 0));
	pid = ENDED_CHILD({
		ask_for(self, SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE)[MARK] = 'x';
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, written(self, pid, 'x'));
}

TEST_F(dump_holes, past_the_files_end_there_is_nothing)
{
	ENDED_CHILD(ask_for(self, SIZE + PAGE, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(0, self->status);
	ENDED_CHILD({
		*ask_for(self, SIZE + PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE) = 'x';
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_F(dump_holes, unreadable_range_not_written)
{
	ENDED_CHILD(ask_for(self, SIZE, PROT_NONE, MAP_PRIVATE));
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

#define GROUP	"/sys/fs/cgroup/profil_holes"
#define LIMIT	(8UL << 20)
#define MUCH	(32UL << 20)

static int join_group(void)
{
	return system("echo $PPID >" GROUP "/cgroup.procs");
}

/* In the same cgroup, and larger than the process that dumps. */
static pid_t start_other(void)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		if (join_group())
			_exit(1);
		memset(map_buffer(LIMIT / 4), 1, LIMIT / 4);
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

/* A dump of more than the limit leaves nothing, and the other alive. */
static void dump_much(struct __test_metadata *_metadata,
		      struct _test_data_dump_holes *self, int flags)
{
	pid_t other;

	ASSERT_EQ(0, system("echo 8M >" GROUP "/memory.max"));
	ASSERT_EQ(0, ftruncate(self->file, MUCH));
	other = start_other();
	ASSERT_LT(0, other);
	ENDED_CHILD({
		if (join_group())
			_exit(2);
		*ask_for(self, MUCH, PROT_READ | PROT_WRITE, flags) = 'x';
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
	EXPECT_EQ(0, waitpid(other, NULL, WNOHANG));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	EXPECT_EQ(0, rmdir(GROUP));
}

TEST_F(dump_holes, holes_filled_at_cost_of_cgroup_alone)
{
	const char *why = group_create(GROUP);

	if (why)
		SKIP(return, "%s", why);
	dump_much(_metadata, self, MAP_PRIVATE);
	EXPECT_GE(LIMIT, taken(self));
}

TEST_F(dump_holes, dump_beyond_cgroup_limit_kills_no_other)
{
	const char *why = group_create(GROUP);

	if (why)
		SKIP(return, "%s", why);
	dump_much(_metadata, self, MAP_PRIVATE | MAP_ANONYMOUS);
}

TEST_HARNESS_MAIN
