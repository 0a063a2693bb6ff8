// SPDX-License-Identifier: MIT
/* The writing of an output file, whichever it is. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out.h"

static void flush(struct profil_out *out)
{
	size_t done = 0;
	ssize_t ret;

	while (!out->error && done < out->used) {
		ret = write(out->fd, out->bytes + done, out->used - done);
		if (ret > 0)
			done += (size_t)ret;
		else if (ret == 0)
			out->error = EIO;
		else if (errno != EINTR)
			out->error = errno;
	}
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
			flush(out);
	}
}

static int truncate_regular(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return ftruncate(fd, 0);
}

/* A regular file, not through a link, and not hanging on a FIFO. */
int profil_out_open(struct profil_out *out, const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
			    O_NOCTTY | O_CLOEXEC, 0666);
	int error;

	if (fd < 0)
		return -1;
	if (truncate_regular(fd) != 0) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	out->fd = fd;
	out->error = 0;
	out->used = 0;
	return 0;
}

int profil_out_close(struct profil_out *out)
{
	flush(out);
	/* Half a profile would be believed: better none. */
	if (out->error && ftruncate(out->fd, 0) != 0)
		out->used = 0;
	if (close(out->fd) != 0 && !out->error && errno != EINTR)
		out->error = errno;
	errno = out->error;
	return out->error ? -1 : 0;
}
