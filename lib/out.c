// SPDX-License-Identifier: MIT
/*
 * The writing of an output file, whichever it is.
 *
 * It is written beside the old one and takes its name when it is complete, so
 * that a full disk leaves the old one.  A file that another name, an owner, a list
 * of rights or a mount holds is written to in place, when there is room for all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "hold.h"
#include "out.h"

/* Bytes of a long name that the file beside keeps; a name has at most 255. */
#define CUT	100

#define FLAGS	(O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static int write_all(int fd, const unsigned char *bytes, size_t len)
{
	struct profil_held held;
	ssize_t ret = 0;

	profil_hold(&held);
	while (len) {
		ret = write(fd, bytes, len);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret == 0)
			errno = EIO;
		if (ret <= 0)
			break;
		bytes += ret;
		len -= (size_t)ret;
	}
	profil_release(&held);
	return len ? -1 : 0;
}

static void flush_file(struct profil_out *out)
{
	if (!out->error && write_all(out->fd, out->bytes, out->used) != 0)
		out->error = errno;
	out->used = 0;
}

void profil_out_put(struct profil_out *out, const void *data, size_t len)
{
	const unsigned char *from = data;

	while (len) {
		size_t part = sizeof(out->bytes) - out->used;

		if (part > len)
			part = len;
		memcpy(out->bytes + out->used, from, part);
		out->used += part;
		from += part;
		len -= part;
		if (out->used == sizeof(out->bytes))
			flush_file(out);
	}
}

/* A regular file, not through a link, and not hanging on a FIFO. */
static int open_old(const char *name, struct stat *st)
{
	int fd = open(name, O_WRONLY | FLAGS);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return profil_fail(EINVAL);
}

/* The new file is named by the first len bytes of out->name, and a suffix. */
static int open_beside_as(struct profil_out *out, size_t len)
{
	struct timespec now;
	int fd = -1;

	/* Not that of a process which was killed here: numbers come again. */
	clock_gettime(CLOCK_REALTIME, &now);
	if (snprintf(out->beside, sizeof(out->beside), "%.*s.new.%ld.%ld",
		     (int)len, out->name, (long)getpid(),
		     now.tv_nsec) < (int)sizeof(out->beside))
		fd = open(out->beside, O_RDWR | O_CREAT | O_EXCL | FLAGS, 0666);
	else
		errno = ENAMETOOLONG;
	if (fd < 0)
		out->beside[0] = '\0';
	return fd;
}

/* The name of the file beside is cut where it would be too long. */
static int open_beside(struct profil_out *out)
{
	const char *slash = strrchr(out->name, '/');
	size_t len = strlen(out->name);
	size_t start = slash ? (size_t)(slash + 1 - out->name) : 0;
	int fd = open_beside_as(out, len);

	if (fd < 0 && errno == ENAMETOOLONG && len - start > CUT)
		fd = open_beside_as(out, start + CUT);
	return fd;
}

/* With such a list the bits of the group are the list's mask. */
static bool has_acl(int fd)
{
	return fgetxattr(fd, "system.posix_acl_access", NULL, 0) > 0;
}

/* Nothing of the old file is lost with it, its rights go to the new one. */
static bool may_replace(int fd, const struct stat *old, int old_fd)
{
	struct stat new;

	return old->st_nlink == 1 && !has_acl(old_fd) && !has_acl(fd) &&
	       fstat(fd, &new) == 0 &&
	       new.st_uid == old->st_uid &&
	       (new.st_gid == old->st_gid ||
		fchown(fd, (uid_t)-1, old->st_gid) == 0) &&
	       fchmod(fd, old->st_mode & 07777) == 0;
}

static int open_memory(void)
{
	return (int)syscall(SYS_memfd_create, "profil", 1 /* MFD_CLOEXEC */);
}

static void forget_beside(struct profil_out *out)
{
	if (out->beside[0])
		unlink(out->beside);
	out->beside[0] = '\0';
}

int profil_out_open(struct profil_out *out, const char *name)
{
	struct stat old = { 0 };
	int error;

	out->error = 0;
	out->used = 0;
	if (snprintf(out->name, sizeof(out->name), "%s", name) >=
	    (int)sizeof(out->name))
		return profil_fail(ENAMETOOLONG);
	out->old = open_old(name, &old);
	if (out->old < 0 && errno != ENOENT)
		return -1;
	out->fd = open_beside(out);
	if (out->old < 0)
		return out->fd < 0 ? -1 : 0;
	if (out->fd >= 0 && !may_replace(out->fd, &old, out->old)) {
		close(out->fd);
		forget_beside(out);
		out->fd = -1;
	}
	if (out->fd < 0)
		out->fd = open_memory();
	if (out->fd >= 0)
		return 0;
	error = errno;
	close(out->old);
	return profil_fail(error);
}

/*
 * Room first, while the old file is whole.  Where a file system can't say that
 * there is room, the file is made longer, which asks for it as well.
 */
static int make_room(int fd, off_t from, off_t to)
{
	static const unsigned char zero[512];
	struct profil_held held;
	int ret;

	if (to <= from)
		return 0;
	profil_hold(&held);
	ret = fallocate(fd, 0, 0, to);
	profil_release(&held);
	if (ret == 0 || errno != EOPNOTSUPP)
		return ret;
	if (lseek(fd, from, SEEK_SET) != from)
		return -1;
	for (ret = 0; ret == 0 && from < to; from += (off_t)sizeof(zero))
		ret = write_all(fd, zero, sizeof(zero));
	return ret;
}

static int copy_back(struct profil_out *out, off_t size)
{
	ssize_t part;

	if (lseek(out->fd, 0, SEEK_SET) != 0 ||
	    lseek(out->old, 0, SEEK_SET) != 0)
		return -1;
	while (size > 0) {
		part = read(out->fd, out->bytes, sizeof(out->bytes));
		if (part == 0)
			errno = EIO;
		if (part <= 0 ||
		    write_all(out->old, out->bytes, (size_t)part) != 0)
			return -1;
		size -= part;
	}
	return 0;
}

static int write_in_place(struct profil_out *out)
{
	struct stat old, new;
	int error;

	if (fstat(out->fd, &new) != 0 || fstat(out->old, &old) != 0)
		return -1;
	if (make_room(out->old, old.st_size, new.st_size) != 0) {
		error = errno;
		if (ftruncate(out->old, old.st_size) != 0)
			errno = error;
		return profil_fail(error);
	}
	if (copy_back(out, new.st_size) == 0)
		return ftruncate(out->old, new.st_size);
	error = errno;
	/* Half a profile would be believed, so the file is left empty. */
	if (ftruncate(out->old, 0) != 0)
		errno = error;
	return profil_fail(error);
}

/* The new file gets the name of the old one, or its contents go there. */
static int put_in_place(struct profil_out *out)
{
	if (out->beside[0]) {
		if (rename(out->beside, out->name) == 0) {
			out->beside[0] = '\0';
			return 0;
		}
		if (out->old < 0)
			return -1;
	}
	return write_in_place(out);
}

/* A file system over a network or with a quota says so here. */
static int close_fd(int fd)
{
	return fd >= 0 && close(fd) != 0 && errno != EINTR ? -1 : 0;
}

int profil_out_close(struct profil_out *out)
{
	flush_file(out);
	/* Before the old file goes. */
	if (!out->error && close_fd(fcntl(out->fd, F_DUPFD_CLOEXEC, 0)) != 0)
		out->error = errno;
	if (!out->error && put_in_place(out) != 0)
		out->error = errno;
	close(out->fd);
	if (close_fd(out->old) != 0 && !out->error)
		out->error = errno;
	forget_beside(out);
	errno = out->error;
	return out->error ? -1 : 0;
}
