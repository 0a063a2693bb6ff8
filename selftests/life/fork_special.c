// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unusual forks: many, of large processes, from threads, with buffers that the
 * child does not get, and children that end at once.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>

#include "machine_test.h"

FIXTURE(fork_special) {
	char *buffer;
};

FIXTURE_SETUP(fork_special)
{
	self->buffer = map_buffer(PAGE);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
}

FIXTURE_TEARDOWN(fork_special)
{
	stop();
	munmap(self->buffer, PAGE);
}

static uint64_t first(const char *buffer)
{
	return counter(buffer, 8, 0);
}

TEST_F(fork_special, buffer_not_inherited_is_off_in_child)
{
	ASSERT_EQ(0, madvise(self->buffer, PAGE, MADV_DONTFORK));
	EXPECT_CHILD({
		struct profil_region_status region;
		struct profil_status status;
		int i;

		/* A tick has to find it gone. */
		for (i = 0; i < 1000 && query().state; i++)
			hot_a(200000);
		status = ask(PROFIL_IOC_QUERY, 0, &region, 1);
		if (status.state != PROFIL_STATE_OFF)
			_exit(1);
		if (region.reason != PROFIL_REASON_UNMAPPED)
			_exit(2);
		if (!balanced(&status.books) || status.books.lost)
			_exit(3);
		/* A later mapping at that address gets no counts. */
		mmap(self->buffer, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		for (i = 0; i < 50; i++)
			hot_a(200000);
		if (first(self->buffer))
			_exit(4);
	});
	burn(5);
	EXPECT_EQ(stop().books.binned, first(self->buffer));
}

TEST_F(fork_special, a_buffer_that_is_wiped_begins_at_zero)
{
	burn(20);
	ASSERT_EQ(0, madvise(self->buffer, PAGE, MADV_WIPEONFORK));
	EXPECT_CHILD({
		struct profil_status status;

		burn(20);
		status = stop();
		if (status.books.binned != first(self->buffer))
			_exit(1);
		if (!balanced(&status.books) || status.books.lost)
			_exit(2);
	});
	burn(5);
	EXPECT_EQ(stop().books.binned, first(self->buffer));
}

TEST_F(fork_special, a_region_that_was_off_at_fork_stays_off)
{
	struct profil_region regions[2] = {
		all_region(self->buffer, 8),
		hot_region(map_buffer(PAGE), 2),
	};
	char *gone = (char *)(uintptr_t)regions[1].base;
	struct profil_region_status each[2];
	int i;

	regions[1].size = PAGE;
	ASSERT_EQ(0, set_regions(regions, 2));
	munmap(gone, PAGE);
	for (i = 0; i < 1000; i++) {
		hot_a(200000);
		ask(PROFIL_IOC_QUERY, 0, each, 2);
		if (each[1].state == PROFIL_STATE_OFF)
			break;
	}
	ASSERT_EQ(PROFIL_STATE_OFF, each[1].state);
	EXPECT_EQ(PROFIL_STATE_ON, each[0].state);
	ASSERT_EQ(gone, mmap(gone, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED |
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	EXPECT_CHILD({
		uint64_t before = first(self->buffer);

		burn(20);
		ask(PROFIL_IOC_QUERY, 0, each, 2);
		if (each[1].state != PROFIL_STATE_OFF)
			_exit(1);
		if (sum(gone, 2, PAGE))
			_exit(2);
		if (first(self->buffer) < before + 10)
			_exit(3);
	});
	munmap(gone, PAGE);
}

/*
 * Fewer in the 32-bit build, which adds nothing here, and on debug kernels,
 * where each takes long.
 */
TEST_F_TIMEOUT(fork_special, ten_thousand_children, 900)
{
	int nr = sizeof(long) == 8 ? 10000 : 1000;
	struct profil_status status;
	time_t start = now();
	int i;

	for (i = 0; i < nr && (i < nr / 10 || now() - start < 60); i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		ASSERT_LT(0, pid);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	if (i < nr)
		TH_LOG("%d children in a minute", i);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, first(self->buffer));
}

TEST_F(fork_special, many_children_at_once)
{
	pid_t pids[200];
	int i;

	for (i = 0; i < 200; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			burn(i % 3);
			if (i % 2) {
				struct profil_status status = query();

				_exit(balanced(&status.books) ? 0 : 1);
			}
			pause();
		}
		ASSERT_LT(0, pids[i]);
	}
	for (i = 0; i < 200; i++) {
		int status;

		if (!(i % 2))
			kill(pids[i], SIGKILL);
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(i % 2 ? 0 : SIGKILL, status);
	}
}

TEST_F(fork_special, from_a_thread_of_a_large_process)
{
	size_t size = 256UL << 20;
	struct profil_status status;
	char *large = map_buffer(size);
	pthread_t threads[4];
	int i;

	memset(large, 1, size);
	burners_start(threads, 4);
	for (i = 0; i < 10; i++)
		EXPECT_CHILD({
			uint64_t before = first(self->buffer);
			struct profil_status in_child;

			burn(3);
			in_child = stop();
			if (!balanced(&in_child.books) || in_child.books.lost)
				_exit(1);
			if (first(self->buffer) < before + 1)
				_exit(2);
		});
	burners_end(threads, 4);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, first(self->buffer));
	munmap(large, size);
}

static void *setter(void *buffer)
{
	while (!enough)
		if (set_region(all_region(buffer, 8)))
			exit(KSFT_FAIL);
	return NULL;
}

TEST_F(fork_special, fork_during_set_gives_child_profile)
{
	pthread_t threads[2];
	int i;

	enough = false;
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, setter,
					    self->buffer));
	for (i = 0; i < 500; i++)
		EXPECT_CHILD(_exit(query().state != PROFIL_STATE_ON));
	burners_end(threads, 2);
}

TEST_F(fork_special, posix_spawn_goes_on_in_the_parent)
{
	char *argv[] = { "/bin/true", NULL };
	struct profil_status status;
	pid_t pid;
	int i;

	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, posix_spawn(&pid, argv[0], NULL, NULL, argv,
					 environ));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	burn(5);
	status = stop();
	EXPECT_EQ(PROFIL_STATE_ON, status.state);
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, first(self->buffer));
}

static int clone_child(void *arg)
{
	burn(10);
	return 0;
}

TEST_F(fork_special, clone_vm_child_counts_in_shared_memory)
{
	struct profil_status status;
	char *stack = map_buffer(16 * PAGE);
	pid_t pid;

	pid = clone(clone_child, stack + 16 * PAGE, CLONE_VM | SIGCHLD, NULL);
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	/* Its ticks are in our books, since it ran in our memory. */
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_LE(10, status.books.binned);
	EXPECT_EQ(status.books.binned, first(self->buffer));
	munmap(stack, 16 * PAGE);
}

static uint64_t ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static int query_into(void *status)
{
	*(struct profil_status *)status = query();
	return 0;
}

TEST_F(fork_special, clone_vm_child_reads_parent_cpu_time)
{
	char *stack = map_buffer(16 * PAGE);
	struct profil_status status;
	uint64_t elapsed, used;
	pid_t pid;

	burn(20);
	elapsed = ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	used = ns(CLOCK_PROCESS_CPUTIME_ID);
	burn(20);
	used = ns(CLOCK_PROCESS_CPUTIME_ID) - used;
	pid = clone(query_into, stack + 16 * PAGE, CLONE_VM | SIGCHLD, &status);
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	elapsed = ns(CLOCK_MONOTONIC) - elapsed;
	/* The scheduler's own sum may be a little behind the clock. */
	EXPECT_LE(used / 2, status.books.cpu_ns);
	EXPECT_GE(elapsed * 2, status.books.cpu_ns);
	munmap(stack, 16 * PAGE);
}

struct pipes {
	int left[2];
	int told[2];
};

/* Its end of the one pipe is the last when the process has left the memory. */
static int query_when_left(void *arg)
{
	struct pipes *pipes = arg;
	struct profil_status status;
	char byte;

	close(pipes->left[1]);
	if (read(pipes->left[0], &byte, 1))
		return 1;
	status = query();
	return write(pipes->told[1], &status, sizeof(status)) < 0;
}

static void leave(struct pipes *pipes, void *buffer, bool by_exec)
{
	char *stack = map_buffer(16 * PAGE);

	burn(10);
	if (set_region(all_region(buffer, 8)))
		_exit(1);
	burn(5);
	if (clone(query_when_left, stack + 16 * PAGE, CLONE_VM | SIGCHLD,
		  pipes) < 0)
		_exit(2);
	if (by_exec)
		execl("/bin/true", "true", NULL);
	_exit(0);
}

TEST_F(fork_special, cpu_time_without_exited_process)
{
	struct profil_status status;
	struct pipes pipes;
	int i, end;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pipe2(pipes.left, O_CLOEXEC));
		ASSERT_EQ(0, pipe2(pipes.told, O_CLOEXEC));
		pid = fork();
		if (!pid)
			leave(&pipes, self->buffer, i);
		close(pipes.left[1]);
		close(pipes.told[1]);
		ASSERT_EQ(sizeof(status),
			  read(pipes.told[0], &status, sizeof(status)));
		EXPECT_EQ(PROFIL_STATE_ON, status.state);
		EXPECT_EQ(0, status.books.cpu_ns);
		ASSERT_EQ(pid, waitpid(pid, &end, 0));
		EXPECT_EQ(0, end);
		close(pipes.left[0]);
		close(pipes.told[0]);
	}
}

TEST_HARNESS_MAIN
