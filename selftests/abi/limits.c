// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits and rights: RLIMIT_MEMLOCK is charged and uncharged exactly, pins end
 * with the profile, and only the calling process is counted.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "account_test.h"

#define PAGES	8

FIXTURE(limits) {
	char *buffer;
	struct profil_region region;
};

FIXTURE_SETUP(limits)
{
	self->buffer = map_buffer(64 * PAGE);
	self->region = hot_region(self->buffer, 8);
	self->region.size = PAGES * PAGE;
}

FIXTURE_TEARDOWN(limits)
{
	stop();
	munmap(self->buffer, 64 * PAGE);
}

TEST_F(limits, pages_accounted_and_given_back_exactly)
{
	long before = locked();

	ASSERT_EQ(0, set_region(self->region));
	EXPECT_EQ(before + PAGES, locked());
	self->region.size = 3 * PAGE;
	ASSERT_EQ(0, set_region(self->region));
	EXPECT_EQ(before + 3, locked());
	stop();
	EXPECT_EQ(before, locked());
}

TEST_F(limits, pins_are_given_back_exactly)
{
	long before = pinned_at_rest();
	int i;

	ASSERT_LE(0, before);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, set_region(self->region));
		EXPECT_EQ(before + PAGES, pinned());
		if (i % 2)
			stop();
	}
	stop();
	EXPECT_EQ(before, pinned());
}

TEST_F(limits, a_buffer_that_was_lost_is_given_back)
{
	long before = locked(), pins = pinned_at_rest();
	int i;

	ASSERT_EQ(0, set_region(self->region));
	ASSERT_EQ(0, munmap(self->buffer, PAGES * PAGE));
	for (i = 0; i < 2000 && query().state == PROFIL_STATE_ON; i++)
		hot_a(100000);
	EXPECT_EQ(PROFIL_STATE_OFF, query().state);
	EXPECT_EQ(before, locked());
	EXPECT_EQ(pins, pinned());
}

TEST_F(limits, memlock_allows_what_it_says_and_no_more)
{
	EXPECT_CHILD({
		drop_rights(PAGES * PAGE);
		if (set_region(self->region))
			_exit(1);
		stop();
		self->region.size += PAGE;
		if (set_region(self->region) != ENOMEM)
			_exit(2);
		if (locked() || query().state)
			_exit(3);
		self->region.size = (PAGES - 1) * PAGE;
		if (set_region(self->region))
			_exit(4);
	});
}

TEST_F(limits, failed_set_keeps_old_account)
{
	EXPECT_CHILD({
		struct profil_region region = hot_region(self->buffer, 8);

		drop_rights(8 * PAGE);
		region.size = 6 * PAGE;
		if (set_region(region))
			_exit(2);
		region.size = 9 * PAGE;
		if (set_region(region) != ENOMEM || locked() != 6)
			_exit(3);
		stop();
		if (locked())
			_exit(4);
		/* And no page more than 8 was uncharged. */
		if (set_region(region) != ENOMEM)
			_exit(5);
	});
}

static void *set_and_stop(void *region)
{
	while (!enough) {
		struct profil_region large = *(struct profil_region *)region;

		large.size = PAGES * PAGE;
		set_region(*(struct profil_region *)region);
		set_region(large);
		stop();
	}
	return NULL;
}

TEST_F(limits, memlock_holds_while_threads_set_and_stop)
{
	EXPECT_CHILD({
		pthread_t threads[3];
		int i;

		self->region.size = 5 * PAGE;
		drop_rights((PAGES + 1) * PAGE);
		enough = false;
		for (i = 0; i < 3; i++)
			if (pthread_create(&threads[i], NULL, set_and_stop,
					   &self->region))
				_exit(1);
		for (i = 0; i < 3000; i++)
			if (locked() > PAGES + 1)
				_exit(2);
		burners_end(threads, 3);
		stop();
		if (locked())
			_exit(3);
	});
}

TEST_F(limits, cap_ipc_lock_is_not_limited)
{
	EXPECT_CHILD({
		struct rlimit r = { 0, 0 };

		if (setrlimit(RLIMIT_MEMLOCK, &r) || set_region(self->region))
			_exit(1);
		burn(3);
		/*
		 * And its child, which still has the descriptor, isn't either.
		 */
		pid_t pid = fork();
		int status;

		burn(3);
		if (!pid)
			_exit(query().state == PROFIL_STATE_ON ? 0 : 2);
		waitpid(pid, &status, 0);
		_exit(status ? 3 : 0);
	});
}

TEST_F(limits, a_child_is_limited_by_its_own_memlock)
{
	EXPECT_CHILD({
		drop_rights(PAGES * PAGE);
		if (set_region(self->region))
			_exit(1);
		pid_t pid = fork();
		int status;

		if (pid) {
			waitpid(pid, &status, 0);
			_exit(status ? 2 : 0);
		}
		burn(5);
		if (query().state != PROFIL_STATE_ON || locked() != PAGES)
			_exit(1);
		/* Its own child may lock less than the regions need. */
		drop_rights(PAGES * PAGE - 1);
		pid = fork();
		if (pid) {
			waitpid(pid, &status, 0);
			_exit(status ? 3 : 0);
		}
		for (int i = 0; i < 1000 && query().state; i++)
			hot_a(100000);
		if (query().reason != PROFIL_REASON_MEMLOCK || locked())
			_exit(4);
	});
}

TEST_F(limits, passed_descriptor_counts_only_caller)
{
	long marker = 0x5a5a5a5a;
	int fd = profil_fd();

	memcpy(self->buffer, &marker, sizeof(marker));
	EXPECT_CHILD({
		/*
		 * The descriptor is the parent's, but the memory must be the
		 * child's own.
		 */
		struct profil_region region = all_region(self->buffer, 8);
		struct profil_set set = {
			.size = sizeof(set),
			.regions = addr(&region),
			.nr_regions = 1,
			.region_size = sizeof(region),
		};

		if (ioctl(fd, PROFIL_IOC_SET, &set))
			_exit(1);
		burn(5);
	});
	EXPECT_EQ(PROFIL_STATE_OFF, query().state);
	EXPECT_EQ(0, memcmp(self->buffer, &marker, sizeof(marker)));
}

TEST_F(limits, works_in_namespaces_of_its_own)
{
	EXPECT_CHILD({
		if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
			_exit(1);
		pid_t pid = fork();
		int status;

		if (pid) {
			waitpid(pid, &status, 0);
			_exit(status ? 2 : 0);
		}
		if (set_region(all_region(self->buffer, 8)))
			_exit(1);
		burn(5);
		if (stop().books.binned != counter(self->buffer, 8, 0))
			_exit(2);
	});
}

/* In strict mode there is only read, write, exit: the profile counts on. */
TEST_F(limits, works_under_seccomp_once_set)
{
	int fds[2], status;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	pid = fork();
	if (!pid) {
		uint64_t n;
		int i;

		if (set_region(all_region(self->buffer, 8)))
			_exit(1);
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		for (i = 0; i < 100; i++)
			hot_a(500000);
		n = counter(self->buffer, 8, 0);
		write(fds[1], &n, sizeof(n));
		syscall(SYS_exit, 0);
	}
	uint64_t n = 0;

	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(sizeof(n), read(fds[0], &n, sizeof(n)));
	EXPECT_LT(5, n);
}

TEST_F(limits, killed_and_crashed_leave_nothing)
{
	long before = pinned_at_rest();
	int i;

	for (i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (set_region(self->region))
				_exit(1);
			burn(1);
			if (i % 2)
				abort();
			kill(getpid(), SIGKILL);
		}
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	EXPECT_TRUE(pinned_again(before));
}

TEST_HARNESS_MAIN
