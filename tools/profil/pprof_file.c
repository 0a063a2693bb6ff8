// SPDX-License-Identifier: MIT
/* Opening and unpacking a profile's file, if it may be trusted at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "pprof.h"
#include "util.h"

static int open_own(const char *path, time_t *written)
{
	struct stat st;
	int fd;

	/* A FIFO must not make this wait. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT)
		die(STATUS_NOT_FOUND,
		    "there is no %s here: record one with profil run PROGRAM, or name one that is there",
		    path);
	if (fd < 0 || fstat(fd, &st))
		die(STATUS_USAGE, "can't read %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		die(STATUS_USAGE, "%s is not a regular file: save the profile to one first",
		    path);
	if (!st.st_size)
		die(STATUS_USAGE, "%s is empty: record it again", path);
	if (st.st_uid && st.st_uid != geteuid())
		die(STATUS_USAGE,
		    "%s belongs to another user (uid %u) and is not read: copy it first if you trust it",
		    path, (unsigned int)st.st_uid);
	if ((uint64_t)st.st_size > PPROF_MAX)
		die(STATUS_USAGE, "%s is too large for a profile (above %lu MiB)",
		    path, PPROF_MAX >> 20);
	*written = st.st_mtime;
	return fd;
}

struct model *pprof_read(const char *path, time_t *written)
{
	size_t size = 0, room = 1 << 16;
	unsigned char *data = xmalloc(room);
	int fd = open_own(path, written);
	const char *why = NULL;
	struct model *m;
	gzFile file;
	int nr;

	file = gzdopen(fd, "rb");
	if (!file)
		die(STATUS_USAGE, "out of memory");
	while ((nr = gzread(file, data + size, room - size)) > 0) {
		size += nr;
		if (size == room && room < PPROF_MAX) {
			room *= 2;
			data = realloc(data, room);
			if (!data)
				die(STATUS_USAGE, "out of memory");
		} else if (size == room) {
			die(STATUS_USAGE, "%s unpacks to more than %lu MiB, and is not read",
			    path, PPROF_MAX >> 20);
		}
	}
	if (gzdirect(file))
		die(STATUS_USAGE, "%s is not a profile that profil run wrote: it is not compressed by gzip",
		    path);
	if (nr < 0 || gzclose_r(file) != Z_OK)
		die(STATUS_USAGE, "%s is cut short or damaged: record it again",
		    path);
	m = pprof_decode(data, size, &why);
	free(data);
	if (!m)
		die(STATUS_USAGE, "%s can't be read as a profile: %s", path,
		    why);
	return m;
}
