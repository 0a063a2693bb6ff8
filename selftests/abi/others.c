// SPDX-License-Identifier: GPL-2.0-only
/*
 * Information leaks: a program learns nothing of other processes, of the
 * kernel's addresses, or of old contents of kernel memory.
 */
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "profil_test.h"

#define OTHER	12345

FIXTURE(others) {
	char *buffer;
};

FIXTURE_SETUP(others)
{
	self->buffer = map_buffer(PAGE);
}

FIXTURE_TEARDOWN(others)
{
	stop();
	munmap(self->buffer, PAGE);
}

/* A message of one byte, and a descriptor with it: to be sent, or received. */
static int pass(int socket, int *fd, bool send)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(*fd))];
	} control;
	char byte = 0;
	struct iovec one = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &one,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	control.header = (struct cmsghdr) {
		.cmsg_len = CMSG_LEN(sizeof(*fd)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	};
	if (send) {
		memcpy(CMSG_DATA(&control.header), fd, sizeof(*fd));
		return sendmsg(socket, &message, 0) == 1 ? 0 : -1;
	}
	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	memcpy(fd, CMSG_DATA(&control.header), sizeof(*fd));
	return 0;
}

/*
 * Another user's process, which is not dumpable, hands over its descriptor and
 * runs until it is told to end.  Returns 0 if the receiver's profile counted
 * nothing of it and wrote nothing to it.
 */
static int undumpable(int socket, char *buffer)
{
	int fd = open(PROFIL_DEVICE, O_RDWR);
	char byte = 0;

	if (fd < 0 || setgid(OTHER) || setuid(OTHER) ||
	    prctl(PR_SET_DUMPABLE, 0) || pass(socket, &fd, true))
		return 1;
	while (recv(socket, &byte, 1, MSG_DONTWAIT) != 1)
		hot_a(100000);
	if (query().state != PROFIL_STATE_OFF || query().nr_regions)
		return 2;
	return counter(buffer, 8, 0) ? 3 : 0;
}

TEST_F(others, fd_over_socket_counts_receiver_alone)
{
	struct profil_region region = all_region(self->buffer, 8);
	struct profil_set set = {
		.size = sizeof(set),
		.regions = addr(&region),
		.nr_regions = 1,
		.region_size = sizeof(region),
	};
	struct profil_status status;
	int sockets[2], fd = -1, i;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pid = fork();
	if (!pid)
		_exit(undumpable(sockets[1], self->buffer));
	ASSERT_EQ(0, pass(sockets[0], &fd, false));
	ASSERT_EQ(0, ioctl(fd, PROFIL_IOC_SET, &set));
	for (i = 0; i < 2000 && query().books.seen < 20; i++)
		hot_a(200000);
	status = stop();
	EXPECT_LE(20, status.books.seen);
	EXPECT_EQ(1, send(sockets[0], "", 1, 0));
	EXPECT_EQ(0, end_of(pid));
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, counter(self->buffer, 8, 0));
	close(fd);
	close(sockets[0]);
	close(sockets[1]);
}

/* Addresses above any program, of 32 or 64 bits. */
#define KERNEL_SPACE	(1ULL << 63)

/*
 * System calls, page faults and signals, each of which could leak an address.
 */
static void enter_the_kernel(int zero, char *page)
{
	static char bytes[1 << 16];
	int i;

	for (i = 0; i < 20; i++) {
		if (read(zero, bytes, sizeof(bytes)) < 0)
			exit(KSFT_FAIL);
		madvise(page, PAGE, MADV_DONTNEED);
		*(volatile char *)page = 1;
		raise(SIGUSR1);
	}
}

static void nothing(int signal)
{
}

TEST_F(others, no_pc_of_the_kernel_is_counted)
{
	struct profil_region region = all_region(self->buffer, 8);
	int zero = open("/dev/zero", O_RDONLY);
	char *page = map_buffer(PAGE);
	struct profil_status status;

	ASSERT_LE(0, zero);
	signal(SIGUSR1, nothing);
	region.offset = KERNEL_SPACE;
	ASSERT_EQ(0, set_region(region));
	while (query().books.seen < 300)
		enter_the_kernel(zero, page);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(0, status.books.binned);
	EXPECT_EQ(0, counter(self->buffer, 8, 0));
	EXPECT_LE(300, status.books.outside);
	close(zero);
	munmap(page, PAGE);
}

/* poll() copies its argument to the kernel's stack. */
static void poison_the_stack(void)
{
	struct pollfd fds[60];

	memset(fds, 0xa5, sizeof(fds));
	poll(fds, ARRAY_SIZE(fds), 0);
}

/* Unused fields are zeros, so that each byte is known. */
TEST_F(others, every_byte_of_an_answer_is_known)
{
	static const unsigned long cmds[] = {
		PROFIL_IOC_QUERY, PROFIL_IOC_STOP
	};
	struct profil_status asked = {
		.size = sizeof(asked),
		.regions = addr(self->buffer),
		.nr_regions = 4,
		.region_size = 32,
	};
	struct profil_status expected = asked, status;
	struct profil_info info;
	size_t i;

	expected.nr_regions = 0;
	expected.hz = query().hz;
	memset(self->buffer, 0xa5, PAGE);
	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		memset(&status, 0xa5, sizeof(status));
		memcpy(&status, &asked, offsetof(struct profil_status, state));
		status.reserved = 0;
		poison_the_stack();
		ASSERT_EQ(0, do_ioctl(cmds[i], &status));
		EXPECT_EQ(0, memcmp(&expected, &status, sizeof(status)));
	}
	for (i = 0; i < 4 * 32; i++)
		ASSERT_EQ('\xa5', self->buffer[i]);

	memset(&info, 0xa5, sizeof(info));
	info.size = sizeof(info);
	poison_the_stack();
	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_INFO, &info));
	EXPECT_EQ(PROFIL_ABI_VERSION, info.abi_version);
	EXPECT_EQ(0, info.features >> 32);
	EXPECT_EQ(expected.hz, info.hz);
	EXPECT_EQ(1024, info.max_regions);
}

/* Also for a region that is off, in a child that was not refreshed yet. */
TEST_F(others, every_byte_of_a_region_is_known)
{
	struct profil_region_status told[2], expected = { 0 };
	struct profil_region region = all_region(self->buffer, 8);

	region.offset = KERNEL_SPACE;
	ASSERT_EQ(0, set_region(region));
	expected.state = PROFIL_STATE_ON;
	memset(told, 0xa5, sizeof(told));
	poison_the_stack();
	ask(PROFIL_IOC_QUERY, 0, told, 2);
	EXPECT_EQ(0, memcmp(&expected, &told[0], sizeof(expected)));
	EXPECT_EQ(0xa5a5a5a5, told[1].state);
	EXPECT_CHILD({
		memset(told, 0xa5, sizeof(told));
		poison_the_stack();
		ask(PROFIL_IOC_QUERY, 0, told, 2);
		if (memcmp(&expected, &told[0], sizeof(expected)) ||
		    told[1].state != 0xa5a5a5a5)
			_exit(1);
	});
}

/* Lines of the list with this pid. */
static int lines_of(pid_t pid)
{
	FILE *f = fopen("/sys/kernel/debug/profil/profiles", "r");
	int lines = 0;
	char line[300];

	while (f && fgets(line, sizeof(line), f))
		lines += line[0] != 'p' && atoi(line) == pid;
	if (!f)
		_exit(90);
	fclose(f);
	return lines;
}

/* The list may miss a line, or have it twice, while profiles come and go. */
static bool listed(pid_t pid, int least, int most)
{
	int tries, lines;

	for (tries = 0; tries < 20; tries++) {
		lines = lines_of(pid);
		if (lines >= least && lines <= most)
			return true;
		usleep(50000);
	}
	return false;
}

/* In a namespace below another; the profile that it inherits is its own. */
static int first_of_a_namespace(int levels)
{
	int ends[2], status;
	bool there;
	pid_t pid;

	if (!levels) {
		if (getpid() != 1)
			return 1;
		/* No other process has a pid here. */
		return !listed(1, 1, 1) || !listed(0, 1, INT_MAX);
	}
	if (unshare(CLONE_NEWPID) || pipe(ends))
		return 2;
	pid = fork();
	if (!pid) {
		char byte;

		close(ends[1]);
		status = first_of_a_namespace(levels - 1);
		/* Not before the list was searched for it. */
		_exit(read(ends[0], &byte, 1) ? 4 : status);
	}
	there = listed(pid, 1, 1);
	close(ends[1]);
	status = end_of(pid);
	close(ends[0]);
	return !there ? 3 : status ? 10 + (status >> 8) : 0;
}

TEST_F(others, list_has_pids_of_readers_namespace)
{
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	EXPECT_TRUE(listed(getpid(), 1, 1));
	EXPECT_CHILD(_exit(first_of_a_namespace(2)));
}

TEST_HARNESS_MAIN
