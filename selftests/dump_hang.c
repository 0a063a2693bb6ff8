// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process whose file goes where nobody answers ends all the same: after half
 * a minute, and without its address space; and no other has to wait with it.
 *
 * A FUSE file system is one whose server is a process; here there is none.
 */
#include <sched.h>

#include "dump_test.h"

#define CHILDREN	8

FIXTURE(dump_hang) {
	struct dump_area area;
	struct dump_area well;
	int server;
	int status;
};

FIXTURE_SETUP(dump_hang)
{
	self->area = area_make();
	self->well = area_make();
	self->server = mount_fuse(self->area.dir);
}

FIXTURE_TEARDOWN(dump_hang)
{
	/* Now all that waits hears that there is nobody. */
	if (self->server >= 0) {
		close(self->server);
		EXPECT_EQ(0, umount2(self->area.dir, MNT_DETACH));
	}
	area_remove(&self->area);
	area_remove(&self->well);
}

/* Opened for its path alone: that asks nobody. */
static int set_there(struct dump_area *area)
{
	struct profil_dump dump =
		area_dump(area, open(area->dir, O_PATH | O_CLOEXEC));

	return set_dump(&dump, area_counter(area));
}

/* While a file of it is mapped, its file system can't be unmounted. */
static int map_file_in(const char *dir)
{
	char name[60];
	void *map;
	int fd;

	snprintf(name, sizeof(name), "%s/mapped", dir);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED;
}

TEST_F(dump_hang, an_exit_ends_with_its_memory_and_holds_up_no_other)
{
	pid_t pids[CHILDREN], other;
	int i;

	if (self->server < 0)
		SKIP(return, "a kernel without FUSE");
	ASSERT_EQ(0, mount("profil", self->well.dir, "tmpfs", 0, NULL));
	for (i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			if (set_there(&self->area) ||
			    map_file_in(self->well.dir))
				_exit(1);
			area_complete(&self->area);
			_exit(0);
		}
	}
	other = ENDED_CHILD(ask_and_complete(&self->well));
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->well, other));
	for (i = 0; i < CHILDREN; i++)
		EXPECT_EQ(0, end_of(pids[i]));
	EXPECT_TRUE(unmounts(self->well.dir));
}

#define HUNG	600

/* More than a workqueue runs at once. */
TEST_F(dump_hang, many_that_hang_hold_up_no_other)
{
	static pid_t pids[HUNG];
	pid_t other;
	int i;

	if (self->server < 0)
		SKIP(return, "a kernel without FUSE");
	for (i = 0; i < HUNG; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			if (set_there(&self->area))
				_exit(1);
			area_complete(&self->area);
			_exit(0);
		}
	}
	other = ENDED_CHILD(ask_and_complete(&self->well));
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->well, other));
	for (i = 0; i < HUNG; i++)
		EXPECT_EQ(0, end_of(pids[i]));
}

#define AT_ONCE	120

/*
 * They end before the works that provide for their exits: these go on, and what
 * is left of them waits in line behind what hangs.
 */
TEST_F(dump_hang, what_no_exit_waits_for_keeps_no_memory)
{
	int fd = memfd_create("mapped", MFD_ALLOW_SEALING);
	int i, tries = 60;

	if (self->server < 0)
		SKIP(return, "a kernel without FUSE");
	ASSERT_EQ(0, ftruncate(fd, PAGE));
	ENDED_CHILD({
		if (set_there(&self->area) ||
		    mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0) == MAP_FAILED)
			_exit(1);
		area_complete(&self->area);
		for (i = 0; i < CHILDREN; i++)
			if (!fork())
				_exit(0);
		usleep(100000);
		keep_cpus();
		for (i = 0; i < AT_ONCE; i++)
			if (!fork())
				_exit(0);
		for (i = 0; i < AT_ONCE; i++)
			sched_yield();
	});
	EXPECT_EQ(0, self->status);
	/* None may be mapped for that. */
	while (tries-- && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE))
		sleep(1);
	EXPECT_GE(tries, 0);
	close(fd);
}

TEST_HARNESS_MAIN
