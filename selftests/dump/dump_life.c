// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a file is written: kills and crashes, threads, memory that changes,
 * observers such as ps and gdb; and the module stays loaded.
 */
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "dump_test.h"

FIXTURE(dump_life) {
	struct dump_area area;
	int status;
};

FIXTURE_SETUP(dump_life)
{
	self->area = area_make();
}

FIXTURE_TEARDOWN(dump_life)
{
	area_remove(&self->area);
}

TEST_F(dump_life, killed_with_complete_data_writes_file)
{
	pid_t pid = ENDED_CHILD({
		ask_and_complete(&self->area);
		kill(getpid(), SIGKILL);
	});

	EXPECT_EQ(SIGKILL, WTERMSIG(self->status));
	EXPECT_EQ(1, area_written(&self->area, pid));
}

TEST_F(dump_life, killed_with_incomplete_data_no_file)
{
	ENDED_CHILD({
		ask_and_complete(&self->area);
		*self->area.len = 0;
		kill(getpid(), SIGKILL);
	});
	EXPECT_EQ(0, area_files(&self->area));
}

static void *volatile crash;

TEST_F(dump_life, a_crash_writes_too)
{
	struct rlimit none = { 0, 0 };
	pid_t pid = ENDED_CHILD({
		setrlimit(RLIMIT_CORE, &none);
		ask_and_complete(&self->area);
		signal(SIGSEGV, SIG_DFL);
		memset(crash, 0, PAGE);
	});

	EXPECT_EQ(SIGSEGV, WTERMSIG(self->status));
	EXPECT_EQ(1, area_written(&self->area, pid));
}

TEST_F(dump_life, unmapped_or_unreadable_writes_nothing)
{
	ENDED_CHILD({
		ask_and_complete(&self->area);
		munmap(self->area.map + PAGE, PAGE);
	});
	EXPECT_EQ(0, self->status);
	ENDED_CHILD({
		ask_and_complete(&self->area);
		mprotect(self->area.map + PAGE, PAGE, PROT_NONE);
	});
	EXPECT_EQ(0, self->status);
	ENDED_CHILD({
		ask_and_complete(&self->area);
		munmap(self->area.map + AREA + PAGE, PAGE);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_F(dump_life, memory_that_only_can_be_read_is_written)
{
	pid_t pid = ENDED_CHILD({
		ask_and_complete(&self->area);
		mprotect(self->area.map, AREA + PAGE, PROT_READ);
	});

	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
}

#define LARGE	(32UL << 20)

/* A profile of one counter, in a buffer that takes long to pin. */
static int set_large(struct dump_area *area, uint64_t *buffer)
{
	struct profil_dump dump = area_dump(area, -1);
	struct profil_region region = hot_region(buffer, 8);
	struct profil_set set = {
		.size = sizeof(set),
		.regions = addr(&region),
		.nr_regions = 1,
		.region_size = sizeof(region),
		.dump = addr(&dump),
	};

	region.size = LARGE;
	region.scale = 1;
	dump.addr = addr(buffer);
	dump.size = PAGE;
	dump.head = 0;
	*area->len = 16;
	return do_ioctl(PROFIL_IOC_SET, &set);
}

TEST_F(dump_life, pending_samples_are_in_the_file)
{
	uint64_t *buffer = map_buffer(LARGE);
	uint64_t written[2] = { 0 };
	pid_t pid;
	int fd, i;

	for (i = 0; i < 5; i++) {
		pid = ENDED_CHILD({
			if (chdir(self->area.dir) ||
			    set_large(&self->area, buffer))
				_exit(1);
			burn(2);
			keep_cpus();
			/* A query would count them, and so would a store. */
			madvise(buffer, LARGE, MADV_DONTNEED);
			run_ticks(25);
		});
		EXPECT_EQ(0, self->status);
		fd = open(area_name(&self->area, pid), O_RDONLY);
		ASSERT_EQ(16, read(fd, written, sizeof(written)));
		close(fd);
		EXPECT_LE(10, written[0]);
	}
	munmap(buffer, LARGE);
}

static void *end_all(void *arg)
{
	usleep(1000);
	_exit(0);
	return arg;
}

TEST_F(dump_life, exit_of_one_thread_while_others_run)
{
	pid_t pid;
	int i;

	for (i = 0; i < 20; i++) {
		pid = ENDED_CHILD({
			pthread_t thread;
			int j;

			ask_and_complete(&self->area);
			for (j = 0; j < 4; j++)
				pthread_create(&thread, NULL, spin, NULL);
			pthread_create(&thread, NULL, end_all, NULL);
			spin(NULL);
		});
		EXPECT_EQ(0, self->status);
		EXPECT_EQ(1, area_written(&self->area, pid));
	}
	EXPECT_EQ(20, area_files(&self->area));
}

TEST_F(dump_life, the_first_thread_may_be_gone)
{
	pid_t pid = ENDED_CHILD({
		pthread_t thread;

		ask_and_complete(&self->area);
		pthread_create(&thread, NULL, end_all, NULL);
		syscall(SYS_exit, 0);
	});

	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
}

static void *end_at_once(void *arg)
{
	return arg;
}

/* Nor if the data was complete meanwhile. */
TEST_F(dump_life, thread_exit_writes_nothing)
{
	ENDED_CHILD({
		pthread_t thread;

		ask_and_complete(&self->area);
		pthread_create(&thread, NULL, end_at_once, NULL);
		pthread_join(thread, NULL);
		usleep(100000);
		*self->area.len = 0;
		_exit(area_files(&self->area));
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

static volatile pid_t *looked_at;	/* in memory that is shared */

/* Each look holds the address space for a moment. */
static void *look(void *arg)
{
	static const char *const names[] = { "cmdline", "environ", "maps" };
	char name[40], bytes[100];
	int i, fd;

	for (i = 0; !enough; i++) {
		snprintf(name, sizeof(name), "/proc/%d/%s", *looked_at,
			 names[i % 3]);
		fd = open(name, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, bytes, sizeof(bytes)) < 0)
			sched_yield();
		close(fd);
	}
	return arg;
}

TEST_F(dump_life, observed_process_writes_same_file)
{
	pthread_t threads[2];
	int i;

	looked_at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enough = false;
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, look, NULL));
	for (i = 0; i < 50; i++) {
		pid_t pid = ENDED_CHILD({
			*looked_at = getpid();
			ask_and_complete(&self->area);
		});

		EXPECT_EQ(1, area_written(&self->area, pid));
	}
	burners_end(threads, 2);
	EXPECT_EQ(50, area_files(&self->area));
}

/*
 * Its file is elsewhere.  A worker may hold the mm of the profile, rarely.
 */
TEST_F(dump_life, mappings_closed_before_parent_is_told)
{
	char dir[] = "/tmp/profil_mapped_XXXXXX";
	int i, busy = 0;

	ASSERT_NE(NULL, mkdtemp(dir));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, mount("mapped", dir, "tmpfs", 0, NULL));
		ENDED_CHILD({
			char name[40];
			int fd;

			snprintf(name, sizeof(name), "%s/file", dir);
			fd = open(name, O_RDWR | O_CREAT, 0600);
			if (ftruncate(fd, PAGE) ||
			    mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) ==
			    MAP_FAILED)
				_exit(2);
			ask_and_complete(&self->area);
		});
		EXPECT_EQ(0, self->status);
		if (umount(dir)) {
			busy++;
			EXPECT_TRUE(unmounts(dir));
		}
	}
	EXPECT_GE(2, busy);
	EXPECT_EQ(20, area_files(&self->area));
	rmdir(dir);
}

TEST_F(dump_life, the_module_stays_while_one_is_on)
{
	ENDED_CHILD({
		if (area_set(&self->area))
			_exit(1);
		stop();
		close(profil_fd());
		if (!syscall(SYS_delete_module, "profil", O_NONBLOCK) ||
		    errno != EAGAIN)
			_exit(2);
	});
	EXPECT_EQ(0, self->status);
}

TEST_HARNESS_MAIN
