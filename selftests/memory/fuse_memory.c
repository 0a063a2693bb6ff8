// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages from a FUSE server that may never answer: no exit waits for one, and a
 * killed process ends.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "account_test.h"
#include "fuse_test.h"
#include "starve_test.h"

#define PAGES	16
#define SETS	4

FIXTURE(fuse_memory) {
	struct dump_area area;
	struct dump_area well;
	struct fuse_server server;
};

FIXTURE_SETUP(fuse_memory)
{
	self->area = area_make();
	self->well = area_make();
	self->server = fuse_start(self->area.dir);
}

FIXTURE_TEARDOWN(fuse_memory)
{
	EXPECT_EQ(0, fuse_stop(&self->server, self->area.dir));
	area_remove(&self->area);
	area_remove(&self->well);
}

TEST_F(fuse_memory, exit_does_not_wait_for_missing_pages)
{
	pid_t pid;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	ASSERT_EQ(0, mount("profil", self->well.dir, "tmpfs", 0, NULL));
	pid = fork();
	if (!pid) {
		ask_and_complete(&self->well);
		_exit(map_unanswered(self->area.dir, self->well.map + PAGE) !=
		      self->well.map + PAGE);
	}
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(0, area_files(&self->well));
	EXPECT_TRUE(unmounts(self->well.dir));
}

TEST_F(fuse_memory, killed_process_not_kept_by_its_buffer)
{
	char *buffer = map_buffer(PAGE);
	int tries;
	pid_t pid;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	pid = fork();
	if (!pid) {
		if (set_region(all_region(buffer, 8)))
			_exit(1);
		burn(2);
		if (map_unanswered(self->area.dir, buffer) != buffer)
			_exit(2);
		for (;;)
			hot_a(1000000);
	}
	sleep(3);
	kill(pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
	for (tries = 0; tries < 3000 && listed(); tries++)
		usleep(10000);
	EXPECT_EQ(0, listed());
	munmap(buffer, PAGE);
}

TEST_F(fuse_memory, a_child_counts_in_pages_that_are_there)
{
	struct profil_status status;
	char *buffer;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	buffer = map_file(self->area.dir, "answered", NULL);
	ASSERT_NE(MAP_FAILED, buffer);
	ASSERT_EQ(0, set_region(all_region(buffer, 8)));
	EXPECT_CHILD({
		uint64_t before = counter(buffer, 8, 0);
		struct profil_status in_child;

		burn(10);
		in_child = stop();
		if (in_child.state != PROFIL_STATE_ON ||
		    !balanced(&in_child.books))
			_exit(1);
		if (counter(buffer, 8, 0) < before + 1)
			_exit(2);
	});
	status = stop();
	EXPECT_BALANCED(&status);
	munmap(buffer, PAGE);
}

/* Text outside the hot region. */
static void elsewhere(void)
{
	static volatile int n;
	int i;

	for (i = 0; i < 20000000; i++)
		n++;
}

TEST_F(fuse_memory, missing_page_keeps_no_other_waiting)
{
	char *well = map_buffer(PAGE * 4);

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	EXPECT_CHILD({
		char *buffer = map_file(self->area.dir, "answered", NULL);
		struct profil_region regions[2] = {
			all_region(buffer, 8), hot_region(well, 8)
		};
		time_t start;

		if (set_regions(regions, 2))
			_exit(1);
		if (map_file(self->area.dir, "unanswered", buffer) != buffer)
			_exit(2);
		elsewhere();
		if (madvise(well, PAGE * 4, MADV_DONTNEED))
			_exit(3);
		/* The first page is tried again for 5 seconds. */
		for (start = now(); now() < start + 3 && !hot_sum(well, 8);)
			hot_a(1000000);
		if (!hot_sum(well, 8))
			_exit(4);
	});
	munmap(well, PAGE * 4);
}

struct set {
	char *buffer;
	char *never;
	atomic_int done;
};

static void *replace(void *arg)
{
	struct set *set = arg;
	struct profil_region regions[2] = {
		all_region(set->buffer + PAGES * PAGE, 8),
		{
			.base = addr(set->buffer),
			.size = PAGES * PAGE,
			.offset = 1 << 20,
			.scale = 0x10000,
			.width = 8,
		},
	};

	if (set_regions(regions, 2))
		_exit(1);
	set->done = 1;
	return NULL;
}

static void wait_for(const atomic_int *done)
{
	int tries;

	for (tries = 0; tries < 3000 && !*done; tries++)
		usleep(10000);
}

/* Each profile is replaced while a pc waits for a page that never comes. */
static void replace_often(const char *dir, int fd)
{
	struct set sets[SETS] = { 0 };
	pthread_t thread;
	int i, done = 0;

	for (i = 0; i < SETS; i++) {
		sets[i].buffer = map_buffer((PAGES + 1) * PAGE);
		sets[i].never = map_file(dir, "unanswered", NULL);
	}
	drop_rights((PAGES + 3) * PAGE);
	alarm(200);
	for (i = 0; i < SETS; i++) {
		char *last = sets[i].buffer + PAGES * PAGE;

		pthread_create(&thread, NULL, replace, &sets[i]);
		wait_for(&sets[i].done);
		if (mremap(sets[i].never, PAGE, PAGE,
			   MREMAP_MAYMOVE | MREMAP_FIXED, last) != last)
			_exit(2);
		elsewhere();
	}
	for (i = 0; i < SETS; i++)
		done += sets[i].done;
	if (write(fd, &done, sizeof(done)) != sizeof(done))
		_exit(3);
	for (;;)
		pause();
}

TEST_F(fuse_memory, replaced_profile_keeps_no_unpaid_page)
{
	long before = pinned_at_rest();
	int fds[2], done = 0;
	pid_t pid;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	ASSERT_EQ(0, pipe(fds));
	map_file(self->area.dir, "answered", NULL);
	pid = fork();
	if (!pid)
		replace_often(self->area.dir, fds[1]);
	close(fds[1]);
	EXPECT_EQ(sizeof(done), read(fds[0], &done, sizeof(done)));
	EXPECT_EQ(SETS, done);
	EXPECT_GE(before + PAGES + 1, pinned());
	kill(pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
}

#define HUGE	(2UL << 20)

static bool set_huge_pages(int nr)
{
	char text[12];

	snprintf(text, sizeof(text), "%d", nr);
	return !write_file("/proc/sys/vm/nr_hugepages", text);
}

static char *map_huge(char *at)
{
	return mmap(at, HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE |
		    (at ? MAP_FIXED : 0), -1, 0);
}

static void *set_all(void *never)
{
	return (void *)(long)set_region(all_region(never, 8));
}

/* A huge page is missing for the second region, and then comes. */
static void switch_off_and_give(char *never, pid_t server)
{
	char *huge = map_huge(NULL), *page = map_buffer(PAGE);
	struct profil_region regions[2] = {
		all_region(page, 8), hot_region(huge, 8)
	};
	struct profil_region_status status[2];
	long before = pinned_at_rest();
	pthread_t thread;
	clock_t begin;
	void *err;

	if (huge == MAP_FAILED || take_all_cpus() || set_regions(regions, 2))
		_exit(1);
	if (map_huge(huge) != huge || !set_huge_pages(0))
		_exit(2);
	pthread_create(&thread, NULL, set_all, never);
	/* It waits for its page by then. */
	usleep(300000);
	/* Less than the ticks after which the tick itself switches it off. */
	for (begin = clock(); clock() < begin + CLOCKS_PER_SEC / 25;)
		hot_a(10000);
	/* No worker looks again before the page is there. */
	query();
	if (!set_huge_pages(1))
		_exit(3);
	give_cpus_back();
	elsewhere();
	kill(server, SIGKILL);
	pthread_join(thread, &err);
	elsewhere();
	ask(PROFIL_IOC_STOP, 0, status, 2);
	if (err != (void *)EFAULT || status[1].state != PROFIL_STATE_OFF ||
	    status[1].reason != PROFIL_REASON_FAULT)
		_exit(4);
	_exit(pinned_again(before) ? 0 : 5);
}

/*
 * The account of a profile is with the SET that waits, so its huge page can't be
 * charged.  The buffer is off by then, and stays so.
 */
TEST_F(fuse_memory, buffer_that_is_off_is_not_pinned_again)
{
	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	if (!set_huge_pages(1))
		SKIP(return, "a kernel without huge pages");
	EXPECT_CHILD(switch_off_and_give(map_unanswered(self->area.dir, NULL),
					 self->server.pid));
	EXPECT_TRUE(set_huge_pages(0));
}

/* A call with a dump, by a thread, so many seconds after its start. */
struct call {
	struct dump_area *area;
	const char *dir;
	char *counter;
	int after, err;
};

static void *call(void *arg)
{
	struct call *call = arg;
	int fd = open(call->dir, O_RDONLY | O_DIRECTORY);
	struct profil_dump dump = area_dump(call->area, fd);

	sleep(call->after);
	call->err = set_dump(&dump, call->counter);
	return NULL;
}

/* The first fails when the server ends, and may keep mmap_lock until then. */
static int call_both(struct call *calls, pid_t server)
{
	pthread_t threads[2];

	if (pthread_create(&threads[0], NULL, call, &calls[0]) ||
	    pthread_create(&threads[1], NULL, call, &calls[1]))
		return 1;
	sleep(6);
	kill(server, SIGKILL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	area_complete(calls[1].area);
	return calls[0].err != EFAULT || calls[1].err ? 2 : 0;
}

TEST_F(fuse_memory, failed_first_call_binds_no_other)
{
	struct dump_area other = area_make();
	pid_t pid;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	pid = fork();
	if (!pid) {
		struct call calls[] = {
			{ &self->well, other.dir,
			  map_unanswered(self->area.dir, NULL), 2, 0 },
			{ &self->well, self->well.dir,
			  area_counter(&self->well), 4, 0 },
		};

		_exit(call_both(calls, self->server.pid));
	}
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(0, area_files(&other));
	EXPECT_EQ(1, area_written(&self->well, pid));
	area_remove(&other);
}

TEST_HARNESS_MAIN
