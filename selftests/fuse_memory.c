// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory whose pages a FUSE server hands out, or never does: no work and no exit
 * waits for one, and a process that is killed is gone.
 */
#include <fcntl.h>
#include <glob.h>
#include <linux/aio_abi.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "dump_test.h"
#include "machine_test.h"

#define ANSWERED	(FUSE_ROOT_ID + 1)

FIXTURE(fuse_memory) {
	struct dump_area area;
	struct dump_area well;
	int connection;
	pid_t server;
};

static void answer(int fd, uint64_t unique, int error, const void *bytes,
		   size_t size)
{
	static struct {
		struct fuse_out_header header;
		char bytes[1 << 20];
	} out;

	out.header = (struct fuse_out_header) {
		.len = sizeof(out.header) + size,
		.error = error,
		.unique = unique,
	};
	memcpy(out.bytes, bytes, size);
	if (write(fd, &out, out.header.len) < 0)
		_exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr) {
		.ino = node,
		.size = 1 << 20,
		.mode = node == 1 ? S_IFDIR | 0700 : S_IFREG | 0600,
		.nlink = 1,
		.blksize = PAGE,
	};
}

/*
 * Each name is that of a file.  The first to be looked up is answered for, it is
 * pages of zeros; of the others no byte is ever read.
 */
static void serve(int fd)
{
	static const char zeros[1 << 20];
	static char request[1 << 16];
	struct fuse_in_header *in = (void *)request;
	struct fuse_read_in *wanted = (void *)(in + 1);
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.flags = FUSE_ASYNC_DIO,
		.max_write = PAGE,
	};
	struct fuse_entry_out entry = {
		.entry_valid = 1000,
		.attr_valid = 1000,
	};
	struct fuse_attr_out attr = { .attr_valid = 1000 };
	struct fuse_open_out open = { 0 };
	uint64_t node = FUSE_ROOT_ID;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, request, sizeof(request)) > 0) {
		attr.attr = attributes(in->nodeid);
		switch (in->opcode) {
		case FUSE_INIT:
			answer(fd, in->unique, 0, &init, sizeof(init));
			break;
		case FUSE_LOOKUP:
			entry.nodeid = ++node;
			entry.attr = attributes(node);
			answer(fd, in->unique, 0, &entry, sizeof(entry));
			break;
		case FUSE_GETATTR:
			answer(fd, in->unique, 0, &attr, sizeof(attr));
			break;
		case FUSE_OPEN:
			answer(fd, in->unique, 0, &open, sizeof(open));
			break;
		case FUSE_READ:
			if (in->nodeid == ANSWERED)
				answer(fd, in->unique, 0, zeros, wanted->size);
			break;
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
		case FUSE_INTERRUPT:
			break;
		default:
			answer(fd, in->unique, -EOPNOTSUPP, NULL, 0);
		}
	}
	_exit(0);
}

static void *map_file(const char *dir, const char *file, void *at)
{
	char name[60];
	int fd;

	snprintf(name, sizeof(name), "%s/%s", dir, file);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	return mmap(at, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
}

/* Both names are looked up, in this order. */
static void *map_unanswered(const char *dir, void *at)
{
	void *answered = map_file(dir, "answered", NULL);

	return answered == MAP_FAILED ? MAP_FAILED :
					map_file(dir, "unanswered", at);
}

FIXTURE_SETUP(fuse_memory)
{
	self->area = area_make();
	self->well = area_make();
	self->connection = mount_fuse(self->area.dir);
	if (self->connection < 0)
		return;
	self->server = fork();
	if (!self->server)
		serve(self->connection);
	close(self->connection);
}

FIXTURE_TEARDOWN(fuse_memory)
{
	if (self->connection >= 0) {
		kill(self->server, SIGKILL);
		waitpid(self->server, NULL, 0);
		EXPECT_EQ(0, umount2(self->area.dir, MNT_DETACH));
	}
	area_remove(&self->area);
	area_remove(&self->well);
}

TEST_F(fuse_memory, an_exit_does_not_wait_for_what_it_would_write)
{
	pid_t pid;

	if (self->connection < 0)
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

TEST_F(fuse_memory, a_killed_process_is_not_kept_by_what_it_counted_in)
{
	char *buffer = map_buffer(PAGE);
	int tries;
	pid_t pid;

	if (self->connection < 0)
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

/* Holds mmap_lock until the page comes. */
static void *peek(void *at)
{
	char byte;
	int fd = open("/proc/self/mem", O_RDONLY);

	if (pread64(fd, &byte, 1, (uintptr_t)at) != 1)
		_exit(3);
	return NULL;
}

/* Works that look at a buffer at this moment. */
static int works(void)
{
	static char stack[1 << 14];
	glob_t names;
	size_t i;
	int n = 0;

	if (glob("/proc/[0-9]*/stack", 0, NULL, &names))
		return -1;
	for (i = 0; i < names.gl_pathc; i++) {
		int fd = open(names.gl_pathv[i], O_RDONLY);
		ssize_t len = read(fd, stack, sizeof(stack) - 1);

		close(fd);
		stack[len > 0 ? len : 0] = 0;
		n += !!strstr(stack, "profil_settle_work");
	}
	globfree(&names);
	return n;
}

TEST_F(fuse_memory, no_work_waits_for_who_waits_for_a_page)
{
	int i, seen = 0;
	pid_t pid;

	if (self->connection < 0)
		SKIP(return, "a kernel without FUSE");
	pid = fork();
	if (!pid) {
		char *buffer = map_file(self->area.dir, "answered", NULL);
		char *never = map_file(self->area.dir, "unanswered", NULL);
		pthread_t thread;

		if (set_region(all_region(buffer, 8)))
			_exit(1);
		burn(2);
		pthread_create(&thread, NULL, peek, never);
		sleep(1);
		if (madvise(buffer, PAGE, MADV_DONTNEED))
			_exit(2);
		for (;;)
			hot_a(1000000);
	}
	/* What is not there is looked for, now and then, during 5 seconds. */
	sleep(8);
	for (i = 0; i < 20; i++) {
		usleep(100000);
		seen += works();
	}
	EXPECT_GT(15, seen);
	kill(pid, SIGKILL);
	kill(self->server, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
}

TEST_F(fuse_memory, a_child_counts_in_pages_that_are_there)
{
	struct profil_status status;
	char *buffer;

	if (self->connection < 0)
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

/* A read that the end of the address space waits for. */
static int read_unanswered(const char *dir, char *to)
{
	struct iocb iocb = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_buf = addr(to),
		.aio_nbytes = PAGE,
	}, *iocbs = &iocb;
	aio_context_t context = 0;
	char name[60];

	if (map_file(dir, "answered", NULL) == MAP_FAILED)
		return 1;
	snprintf(name, sizeof(name), "%s/unanswered", dir);
	iocb.aio_fildes = open(name, O_RDONLY | O_DIRECT);
	return syscall(SYS_io_setup, 1, &context) ||
	       syscall(SYS_io_submit, context, 1, &iocbs) != 1;
}

/* Itself, so that who makes many such is many, and not works that all need. */
TEST_F(fuse_memory, an_exec_waits_for_requests_of_the_memory_that_it_leaves)
{
	char *buffer = map_buffer(PAGE);
	int status;
	pid_t pid;

	if (self->connection < 0)
		SKIP(return, "a kernel without FUSE");
	pid = fork();
	if (!pid) {
		if (read_unanswered(self->area.dir, buffer))
			_exit(1);
		ask_and_complete(&self->well);
		execl("/bin/true", "true", NULL);
		_exit(2);
	}
	sleep(2);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(self->server, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, area_files(&self->well));
	munmap(buffer, PAGE);
}

TEST_HARNESS_MAIN
