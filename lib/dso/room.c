// SPDX-License-Identifier: MIT
/*
 * How much memory the counters of shared objects may take, so that the program
 * can still map and lock what it could without them.
 *
 * mlockall() asks for room for all that is mapped, and pinned counters count
 * as locked once more.  So they get a quarter of what is free.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "block.h"
#include "dso/dso.h"

struct sizes {
	uint64_t mapped, locked;	/* bytes; 0 if it is not told */
};

/* A line of /proc/self/status, or its beginning. */
static void take_line(const char *line, struct sizes *sizes)
{
	uint64_t *size = !strncmp(line, "VmSize:", 7) ? &sizes->mapped :
			 !strncmp(line, "VmLck:", 6) ? &sizes->locked : NULL;

	if (!size)
		return;
	for (*size = 0; *line; line++)
		if (*line >= '0' && *line <= '9')
			*size = *size * 10 + (uint64_t)(*line - '0');
	*size *= 1024;
}

/* The line of groups may be of any length. */
static void read_sizes(struct sizes *sizes)
{
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char bytes[512], line[64];
	size_t length = 0;
	ssize_t nr, i;

	if (fd < 0)
		return;
	while ((nr = read(fd, bytes, sizeof(bytes))) > 0) {
		for (i = 0; i < nr; i++) {
			if (bytes[i] == '\n') {
				line[length] = '\0';
				take_line(line, sizes);
				length = 0;
			} else if (length < sizeof(line) - 1) {
				line[length++] = bytes[i];
			}
		}
	}
	close(fd);
}

static uint64_t share_left(uint64_t limit, uint64_t used, unsigned int share)
{
	return limit > used ? (limit - used) / share : 0;
}

struct profil_room profil_room(void)
{
	struct profil_room room = { .bytes = UINT64_MAX };
	struct sizes now = { 0 };
	int cancel = profil_cancel_disable();
	struct rlimit limit;
	uint64_t bytes;

	read_sizes(&now);
	profil_cancel_restore(cancel);
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && !profil_locks_all()) {
		/* What is mapped already may be too much for mlockall(). */
		bytes = share_left(limit.rlim_cur,
				   now.mapped > now.locked ? now.mapped :
							     now.locked, 4);
		if (!bytes)
			bytes = share_left(limit.rlim_cur, now.locked, 2);
		room.bytes = bytes;
		room.limit = "RLIMIT_MEMLOCK";
	}
	if (getrlimit(RLIMIT_AS, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY) {
		bytes = share_left(limit.rlim_cur, now.mapped, 4);
		if (bytes < room.bytes) {
			room.bytes = bytes;
			room.limit = "RLIMIT_AS";
		}
	}
	return room;
}
