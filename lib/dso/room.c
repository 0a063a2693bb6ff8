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

#include "dso/dso.h"

/* A line of /proc/self/status, in bytes; 0 if it is missing. */
static uint64_t value_of(const char *status, const char *name)
{
	const char *at = strstr(status, name);
	uint64_t kilobytes = 0;

	if (!at)
		return 0;
	for (at += strlen(name); *at == ' ' || *at == '\t'; at++)
		;
	for (; *at >= '0' && *at <= '9'; at++)
		kilobytes = kilobytes * 10 + (uint64_t)(*at - '0');
	return kilobytes * 1024;
}

static void read_status(char *status, size_t size)
{
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t len = -1;

	if (fd >= 0) {
		len = read(fd, status, size - 1);
		close(fd);
	}
	status[len > 0 ? len : 0] = '\0';
}

static uint64_t share_left(uint64_t limit, uint64_t used, unsigned int share)
{
	return limit > used ? (limit - used) / share : 0;
}

struct profil_room profil_room(void)
{
	struct profil_room room = { .bytes = UINT64_MAX };
	uint64_t mapped, locked, bytes;
	struct rlimit limit;
	char status[2048];

	read_status(status, sizeof(status));
	mapped = value_of(status, "VmSize:");
	locked = value_of(status, "VmLck:");
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && !profil_locks_all()) {
		/* What is mapped already may be too much for mlockall(). */
		bytes = share_left(limit.rlim_cur,
				   mapped > locked ? mapped : locked, 4);
		if (!bytes)
			bytes = share_left(limit.rlim_cur, locked, 2);
		room.bytes = bytes;
		room.limit = "RLIMIT_MEMLOCK";
	}
	if (getrlimit(RLIMIT_AS, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY) {
		bytes = share_left(limit.rlim_cur, mapped, 4);
		if (bytes < room.bytes) {
			room.bytes = bytes;
			room.limit = "RLIMIT_AS";
		}
	}
	return room;
}
