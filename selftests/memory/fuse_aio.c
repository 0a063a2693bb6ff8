// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces with an AIO request that a FUSE server never answers: their
 * end blocks.  It may block the processes that made them, and few workers.
 */
#include <linux/aio_abi.h>
#include <sched.h>
#include <sys/syscall.h>

#include "fuse_test.h"
#include "machine_test.h"

#define LARGE	(32UL << 20)
#define ENDS	10	/* at once, each with LARGE */
#define FEW	4	/* work items at once, of one user */

FIXTURE(fuse_aio) {
	struct dump_area area;
	struct dump_area well;
	struct fuse_server server;
};

FIXTURE_SETUP(fuse_aio)
{
	self->area = area_make();
	self->well = area_make();
	self->server = fuse_start(self->area.dir);
}

FIXTURE_TEARDOWN(fuse_aio)
{
	EXPECT_EQ(0, fuse_stop(&self->server, self->area.dir));
	area_remove(&self->area);
	area_remove(&self->well);
}

/* Read without the page cache. */
static int open_unanswered(const char *dir)
{
	char name[60];

	if (map_file(dir, "answered", NULL) == MAP_FAILED)
		return -1;
	snprintf(name, sizeof(name), "%s/unanswered", dir);
	return open(name, O_RDONLY | O_DIRECT);
}

/* A read that the end of the address space waits for. */
static int submit_read(int fd, char *to)
{
	struct iocb iocb = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = fd,
		.aio_buf = addr(to),
		.aio_nbytes = PAGE,
	}, *iocbs = &iocb;
	aio_context_t context = 0;

	return syscall(SYS_io_setup, 1, &context) ||
	       syscall(SYS_io_submit, context, 1, &iocbs) != 1;
}

/* Its own exit blocks, not a worker that all processes need. */
TEST_F(fuse_aio, exec_waits_for_requests_of_old_memory)
{
	char *buffer = map_buffer(PAGE);
	int status;
	pid_t pid;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	pid = fork();
	if (!pid) {
		if (submit_read(open_unanswered(self->area.dir), buffer))
			_exit(1);
		ask_and_complete(&self->well);
		execl("/bin/true", "true", NULL);
		_exit(2);
	}
	sleep(2);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(self->server.pid, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, area_files(&self->well));
	munmap(buffer, PAGE);
}

/* May exit while a worker looks at so much memory that it takes some time. */
static void exit_with_request(const char *dir, char *to, int ms)
{
	struct timespec now, then;

	if (submit_read(open_unanswered(dir), to))
		_exit(1);
	clock_gettime(CLOCK_MONOTONIC, &then);
	do {
		hot_a(100000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - then.tv_sec) * 1000000000L + now.tv_nsec <
		 then.tv_nsec + ms * 1000000L);
	_exit(0);
}

/* One user has few, so that others get theirs. */
TEST_F(fuse_aio, the_end_of_an_address_space_keeps_few)
{
	char *buffer = map_buffer(LARGE), *to = map_buffer(PAGE);
	struct profil_region region = hot_region(buffer, 8);
	pid_t pids[ENDS];
	int i, ends;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	region.size = LARGE;
	ASSERT_EQ(0, set_region(region));
	for (i = 0; i < ENDS; i++) {
		pids[i] = fork();
		if (!pids[i])
			exit_with_request(self->area.dir, to, 5 + 2 * i);
		usleep(100000);
	}
	stop();
	sleep(2);
	ends = workers_in("exit_aio");
	EXPECT_GE(FEW, ends);
	kill(self->server.pid, SIGKILL);
	for (i = 0; i < ENDS; i++)
		EXPECT_EQ(pids[i], waitpid(pids[i], NULL, 0));
	munmap(buffer, LARGE);
	munmap(to, PAGE);
	if (!ends)
		SKIP(return, "no process ended while a work looked");
}

#define EXITS	120
#define EXECS	20
#define TURNS	50000	/* of others on this CPU, until all have run */

/* Not by threads, like keep_cpus(): forks would wait for their page faults. */
static void keep_cpus_by_children(void)
{
	long cpu, nr = sysconf(_SC_NPROCESSORS_ONLN);
	int *nr_there = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (cpu = 1; cpu < nr; cpu++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			keep_cpu(cpu);
			__atomic_add_fetch(nr_there, 1, __ATOMIC_RELAXED);
			spin(NULL);
		}
	while (__atomic_load_n(nr_there, __ATOMIC_RELAXED) < nr - 1)
		usleep(100);
	keep_cpu(0);
}

/*
 * Exits use up the kernel threads that an exec needs for its own end, while no
 * CPU is left for the workers that make new ones.
 */
static void exec_unprovided(struct dump_area *well, int fd, char *to)
{
	struct profil_dump dump = area_dump(well, open(well->dir, O_RDONLY));
	int i;

	if (set_dump(&dump, area_counter(well)))
		_exit(1);
	keep_cpus_by_children();
	for (i = 0; i < EXITS; i++)
		if (!fork())
			_exit(0);
	for (i = 0; i < EXECS; i++)
		if (!fork()) {
			if (submit_read(fd, to))
				_exit(2);
			execl("/bin/true", "true", NULL);
			_exit(3);
		}
	for (i = 0; i < TURNS; i++)
		sched_yield();
	_exit(0);
}

TEST_F(fuse_aio, exec_without_spare_keeps_few_work_items)
{
	char *to = map_buffer(PAGE);
	int fd, ends = 0, rounds = 5;
	pid_t pid;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	fd = open_unanswered(self->area.dir);
	ASSERT_GE(fd, 0);
	/*
	 * Only one read is sent to the server; those of the children wait
	 * behind it.
	 */
	ASSERT_EQ(0, close(dup(fd)));
	while (!ends && rounds--) {
		pid = fork();
		if (!pid)
			exec_unprovided(&self->well, fd, to);
		EXPECT_EQ(0, end_of(pid));
		sleep(2);
		ends = workers_in("exit_aio");
	}
	EXPECT_GE(FEW, ends);
	close(fd);
	munmap(to, PAGE);
	if (!ends)
		SKIP(return, "each exec was provided for");
}

TEST_HARNESS_MAIN
