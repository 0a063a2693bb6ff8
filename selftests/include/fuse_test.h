/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small FUSE server, which serves the pages of one file and never answers for
 * others.
 */
#ifndef PROFIL_FUSE_TEST_H
#define PROFIL_FUSE_TEST_H

#include <fcntl.h>
#include <linux/fuse.h>

#include "dump_test.h"

#define ANSWERED	(FUSE_ROOT_ID + 1)

struct fuse_server {
	int connection;	/* below 0: a kernel without FUSE */
	pid_t pid;
};

static inline void answer(int fd, uint64_t unique, int error,
			  const void *bytes, size_t size)
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

static inline struct fuse_attr attributes(uint64_t node)
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
 * Each name is a file.  The first that is looked up has pages of zeros; for the
 * others, the server never answers a read or a write.
 */
static inline void serve(int fd)
{
	static const char zeros[1 << 20];
	static char request[1 << 16];
	struct fuse_in_header *in = (void *)request;
	struct fuse_read_in *wanted = (void *)(in + 1);
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.flags = FUSE_ASYNC_DIO,
		.max_background = 1000,
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
		case FUSE_WRITE:
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
		case FUSE_INTERRUPT:
			break;
		case FUSE_FLUSH:
			/* ENOSYS: the kernel does not ask again. */
			answer(fd, in->unique, -ENOSYS, NULL, 0);
			break;
		default:
			answer(fd, in->unique, -EOPNOTSUPP, NULL, 0);
		}
	}
	_exit(0);
}

static inline void *map_file(const char *dir, const char *file, void *at)
{
	char name[60];
	int fd;

	snprintf(name, sizeof(name), "%s/%s", dir, file);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	return mmap(at, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
}

/* Both names are looked up, in this order. */
static inline void *map_unanswered(const char *dir, void *at)
{
	void *answered = map_file(dir, "answered", NULL);

	return answered == MAP_FAILED ? MAP_FAILED :
					map_file(dir, "unanswered", at);
}

static inline struct fuse_server fuse_start(const char *dir)
{
	struct fuse_server server = { .connection = mount_fuse(dir) };

	if (server.connection < 0)
		return server;
	server.pid = fork();
	if (!server.pid)
		serve(server.connection);
	close(server.connection);
	return server;
}

/* Each process that waits for it gets an error. */
static inline int fuse_stop(const struct fuse_server *server, const char *dir)
{
	if (server->connection < 0)
		return 0;
	kill(server->pid, SIGKILL);
	waitpid(server->pid, NULL, 0);
	return umount2(dir, MNT_DETACH);
}

#endif /* PROFIL_FUSE_TEST_H */
