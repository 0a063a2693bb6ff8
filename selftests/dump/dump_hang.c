// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file on a file system that hangs: the process waits for it, as in close(2),
 * but its memory is freed, and no other process waits.
 *
 * The file system is FUSE without a server.
 */
#include <sched.h>
#include <signal.h>
#include <sys/sysinfo.h>

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

/* Each process that waits gets an error. */
static void abort_server(struct _test_data_dump_hang *self)
{
	if (self->server < 0)
		return;
	close(self->server);
	self->server = -1;
	umount2(self->area.dir, MNT_DETACH);
}

FIXTURE_TEARDOWN(dump_hang)
{
	abort_server(self);
	area_remove(&self->area);
	area_remove(&self->well);
}

/* O_PATH, so that the open sends no request to the server. */
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

/* Children that complete their data for the file system that hangs, and end. */
static void start_hanging(struct _test_data_dump_hang *self, pid_t *pids,
			  int nr, const char *mapped_in)
{
	int i;

	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			if (set_there(&self->area) ||
			    (mapped_in && map_file_in(mapped_in)))
				_exit(1);
			area_complete(&self->area);
			_exit(0);
		}
	}
}

TEST_F(dump_hang, exit_that_hangs_keeps_no_memory)
{
	pid_t pids[CHILDREN], other;
	int i;

	if (self->server < 0)
		SKIP(return, "a kernel without FUSE");
	ASSERT_EQ(0, mount("profil", self->well.dir, "tmpfs", 0, NULL));
	start_hanging(self, pids, CHILDREN, self->well.dir);
	other = ENDED_CHILD(ask_and_complete(&self->well));
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->well, other));
	/* Their mappings are closed, and they still wait. */
	EXPECT_TRUE(unmounts(self->well.dir));
	for (i = 0; i < CHILDREN; i++)
		EXPECT_EQ(0, waitpid(pids[i], NULL, WNOHANG));
	abort_server(self);
	for (i = 0; i < CHILDREN; i++)
		EXPECT_EQ(0, end_of(pids[i]));
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
	start_hanging(self, pids, HUNG, NULL);
	other = ENDED_CHILD(ask_and_complete(&self->well));
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->well, other));
	abort_server(self);
	for (i = 0; i < HUNG; i++)
		EXPECT_EQ(0, end_of(pids[i]));
}

#define BESIDE	40
#define BALLAST	(64UL << 20)
#define FREED_S		20	/* no wait in a line of such exits, each with 30 s */

/* Free pages are not counted exactly: CPUs keep some, since Linux 6.7 many. */
static unsigned long shared_bytes(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : info.sharedram * info.mem_unit;
}

/* Whether no more is left within the time that a kill may take. */
static bool is_freed(unsigned long left)
{
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += FREED_S;
	do {
		if (shared_bytes() <= left)
			return true;
		usleep(10000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	return false;
}

TEST_F(dump_hang, killed_process_frees_memory_at_once)
{
	pid_t pids[BESIDE], victim;
	unsigned long before;
	int ready[2], i;
	char byte;

	if (self->server < 0)
		SKIP(return, "a kernel without FUSE");
	ASSERT_EQ(0, pipe(ready));
	start_hanging(self, pids, BESIDE, NULL);
	victim = fork();
	if (!victim) {
		char *ballast = mmap(NULL, BALLAST, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (ballast == MAP_FAILED)
			_exit(3);
		memset(ballast, 1, BALLAST);
		if (set_there(&self->area))
			_exit(1);
		area_complete(&self->area);
		if (write(ready[1], "", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	close(ready[0]);
	before = shared_bytes();
	EXPECT_LE(BALLAST, before);
	kill(victim, SIGKILL);
	EXPECT_TRUE(is_freed(before - BALLAST * 9 / 10));
	EXPECT_EQ(0, waitpid(victim, NULL, WNOHANG));
	abort_server(self);
	EXPECT_EQ(SIGKILL, end_of(victim));
	for (i = 0; i < BESIDE; i++)
		EXPECT_EQ(0, end_of(pids[i]));
}

#define AT_ONCE	120

/*
 * They end before files are prepared for their exits, and a user has a limited
 * number of kernel threads for that.
 */
TEST_F(dump_hang, file_without_waiter_keeps_no_memory)
{
	int fd = memfd_create("mapped", MFD_ALLOW_SEALING);
	int i, ready[2], tries = 60;
	char byte;
	pid_t pid;

	if (self->server < 0)
		SKIP(return, "a kernel without FUSE");
	ASSERT_EQ(0, ftruncate(fd, PAGE));
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		if (set_there(&self->area) ||
		    mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0) == MAP_FAILED || write(ready[1], "", 1) != 1)
			_exit(1);
		area_complete(&self->area);
		keep_cpus();
		for (i = 0; i < AT_ONCE; i++)
			if (!fork())
				_exit(0);
		for (i = 0; i < AT_ONCE; i++)
			sched_yield();
		_exit(0);
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	close(ready[0]);
	/* It is mapped nowhere any more. */
	while (tries && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE)) {
		tries--;
		sleep(1);
	}
	EXPECT_LT(0, tries);
	abort_server(self);
	/* It may have ended because no file was prepared. */
	EXPECT_EQ(0, end_of(pid));
	close(fd);
}

TEST_HARNESS_MAIN
