// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "Lifetime": fork, vfork, CLONE_VM.  A forked child counts in its
 * own copy from its first tick; a child that shares the memory shares the
 * counters.
 */
#include "machine_test.h"

#ifndef MAP_HUGE_2MB
#define MAP_HUGE_2MB	(21 << 26)
#endif

FIXTURE(forked) {
	char *buffer;
	size_t size;
};

/* The kinds of memory that can be pinned, each with its behaviour at fork. */
FIXTURE_VARIANT(forked) {
	int flags;
	bool memfd;
	bool bss;
	bool data;
	bool thp;
	bool shared;
};

FIXTURE_VARIANT_ADD(forked, anonymous) { .flags = MAP_PRIVATE | MAP_ANONYMOUS, };
FIXTURE_VARIANT_ADD(forked, bss) { .bss = true, };
FIXTURE_VARIANT_ADD(forked, initialized) { .data = true, };
FIXTURE_VARIANT_ADD(forked, huge_page) { .thp = true, };
FIXTURE_VARIANT_ADD(forked, private_memfd) {
	.flags = MAP_PRIVATE, .memfd = true,
};

FIXTURE_VARIANT_ADD(forked, shared_memfd) {
	.flags = MAP_SHARED, .memfd = true, .shared = true,
};

FIXTURE_VARIANT_ADD(forked, shared_anonymous) {
	.flags = MAP_SHARED | MAP_ANONYMOUS, .shared = true,
};

FIXTURE_VARIANT_ADD(forked, hugetlb) {
	.flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB,
};

static char bss[4 * PAGE] __attribute__((aligned(4096)));
static char data[4 * PAGE] __attribute__((aligned(4096))) = { 0, 1 };

#define HUGE	(2UL << 20)

static int reserve_huge_pages(const char *n)
{
	int fd = open("/proc/sys/vm/nr_hugepages", O_WRONLY);
	int ret = write(fd, n, strlen(n));

	close(fd);
	return ret;
}

FIXTURE_SETUP(forked)
{
	int fd = -1;

	self->size = variant->flags & MAP_HUGETLB ? HUGE : 4 * PAGE;
	if (variant->flags & MAP_HUGETLB)
		ASSERT_LT(0, reserve_huge_pages("8"));
	if (variant->memfd) {
		fd = memfd_create("profil", 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ftruncate(fd, self->size));
	}
	if (variant->bss) {
		self->buffer = bss;
	} else if (variant->data) {
		self->buffer = data;
		memset(data, 0, sizeof(data));
	} else if (variant->thp) {
		self->buffer = map_buffer(2 * HUGE);
		self->buffer += -addr(self->buffer) & (HUGE - 1);
		madvise(self->buffer, HUGE, MADV_HUGEPAGE);
		self->buffer[0] = 0;
		self->buffer += 17 * PAGE;
	} else {
		self->buffer = mmap(NULL, self->size, PROT_READ | PROT_WRITE,
				    variant->flags, fd, 0);
		ASSERT_NE(MAP_FAILED, self->buffer);
	}
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
}

FIXTURE_TEARDOWN(forked)
{
	stop();
	if (variant->flags)
		munmap(self->buffer, self->size);
	if (variant->flags & MAP_HUGETLB)
		reserve_huge_pages("0");
}

static uint64_t first(const char *buffer)
{
	return counter(buffer, 8, 0);
}

/* Sends a child's status through a pipe. */
struct told {
	uint64_t seen, binned, before, after;
	uint32_t state;
};

static void tell(int fd, const char *buffer, uint64_t before)
{
	struct profil_status status = stop();
	struct told told = {
		.seen = status.books.seen,
		.binned = status.books.binned,
		.before = before,
		.after = first(buffer),
		.state = status.state,
	};

	if (!balanced(&status.books) || status.books.lost)
		_exit(1);
	if (write(fd, &told, sizeof(told)) != sizeof(told))
		_exit(2);
	_exit(0);
}

TEST_F(forked, parent_and_child_count_their_own_ticks)
{
	struct profil_status status;
	struct told child;
	int fds[2], wait_status;
	uint64_t before;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	burn(20);
	before = query().books.binned;
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		before = first(self->buffer);
		burn(40);
		tell(fds[1], self->buffer, before);
	}
	burn(40);
	ASSERT_EQ(pid, waitpid(pid, &wait_status, 0));
	EXPECT_EQ(0, wait_status);
	ASSERT_EQ(sizeof(child), read(fds[0], &child, sizeof(child)));
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(PROFIL_STATE_ON, child.state);
	EXPECT_LE(40, child.seen);
	EXPECT_EQ(child.seen, child.binned);
	EXPECT_LE(before, child.before);
	if (variant->shared) {
		EXPECT_EQ(status.books.binned + child.binned,
			  first(self->buffer));
	} else {
		EXPECT_EQ(status.books.binned, first(self->buffer));
		/* Its copy is from some time between the two. */
		EXPECT_LE(child.binned, child.after - before);
		EXPECT_GE(child.binned, child.after - child.before);
	}
	close(fds[0]);
	close(fds[1]);
}

TEST_F(forked, a_child_counts_from_its_first_tick)
{
	int fds[2], wait_status;
	struct told child;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		/* No system call, and so no refresh by one. */
		run_ticks(40);
		tell(fds[1], self->buffer, 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &wait_status, 0));
	EXPECT_EQ(0, wait_status);
	ASSERT_EQ(sizeof(child), read(fds[0], &child, sizeof(child)));
	EXPECT_LT(10, child.seen);
	EXPECT_EQ(child.seen, child.binned);
	close(fds[0]);
	close(fds[1]);
}

TEST_F(forked, a_grandchild_counts_too)
{
	EXPECT_CHILD({
		uint64_t before = first(self->buffer);
		struct profil_status status;
		pid_t pid = fork();
		int wait_status;

		if (pid) {
			waitpid(pid, &wait_status, 0);
			_exit(wait_status ? 1 : 0);
		}
		burn(10);
		status = stop();
		if (!balanced(&status.books) || status.books.lost)
			_exit(1);
		if (status.books.binned < 10)
			_exit(2);
		if (first(self->buffer) < before + 10)
			_exit(3);
	});
}

TEST_F(forked, vfork_child_counts_in_parents_memory)
{
	struct profil_status status;
	pid_t pid;

	burn(5);
	pid = vfork();
	if (!pid) {
		burn(5);
		_exit(0);
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, first(self->buffer));
	EXPECT_LE(10, status.books.binned);
}

TEST_HARNESS_MAIN
