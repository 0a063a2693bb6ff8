// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory whose pages a FUSE server hands out, which never does: what an exit
 * would write of it is not waited for.
 */
#include <linux/fuse.h>

#include "dump_test.h"

FIXTURE(fuse_memory) {
	struct dump_area area;
	struct dump_area well;
	int connection;
	pid_t server;
};

static void answer(int fd, uint64_t unique, int error, const void *bytes,
		   size_t size)
{
	struct {
		struct fuse_out_header header;
		char bytes[sizeof(struct fuse_entry_out)];
	} out = {
		.header = {
			.len = sizeof(out.header) + size,
			.error = error,
			.unique = unique,
		},
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

/* Each name is that of a file, of which no byte is ever read. */
static void serve(int fd)
{
	static char request[1 << 16];
	struct fuse_in_header *in = (void *)request;
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_write = PAGE,
	};
	struct fuse_entry_out entry = {
		.nodeid = 2,
		.entry_valid = 1000,
		.attr_valid = 1000,
		.attr = attributes(2),
	};
	struct fuse_attr_out attr = { .attr_valid = 1000 };
	struct fuse_open_out open = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, request, sizeof(request)) > 0) {
		attr.attr = attributes(in->nodeid);
		switch (in->opcode) {
		case FUSE_INIT:
			answer(fd, in->unique, 0, &init, sizeof(init));
			break;
		case FUSE_LOOKUP:
			answer(fd, in->unique, 0, &entry, sizeof(entry));
			break;
		case FUSE_GETATTR:
			answer(fd, in->unique, 0, &attr, sizeof(attr));
			break;
		case FUSE_OPEN:
			answer(fd, in->unique, 0, &open, sizeof(open));
			break;
		case FUSE_READ:
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

static void *map_unanswered(const char *dir, void *at)
{
	char name[60];
	int fd;

	snprintf(name, sizeof(name), "%s/file", dir);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	return mmap(at, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
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

TEST_HARNESS_MAIN
