// SPDX-License-Identifier: MIT
/*
 * The names that users of gprof expect in the working directory: gmon.out and
 * gmon.NAME.out of the program that ended last.
 *
 * They are further names of the files in its directory, which gmon.last leads
 * to.  So those of the program before can be taken away, and nothing is lost.
 * gmon.out is a file of its own: other run-times write over what is there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pg/place.h"

#define LAST		"gmon.last"
#define LOCK_TRIES	50

struct entry {			/* struct linux_dirent64 */
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* Under gmon.c's lock. */
static int locked = -1;

/* Locks the directory, and goes without a lock that is not free soon. */
static void lock_directory(void)
{
	const struct timespec pause = { 0, 2000000 };
	int tries;

	locked = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (tries = 0; locked >= 0 && tries < LOCK_TRIES; tries++) {
		if (flock(locked, LOCK_EX | LOCK_NB) == 0 ||
		    errno != EWOULDBLOCK)
			return;
		nanosleep(&pause, NULL);
	}
}

static void unlock_directory(void)
{
	if (locked >= 0)
		close(locked);
	locked = -1;
}

/* Only what has another name in that directory. */
static void forget_one(int dir, const char *name)
{
	struct stat there, here;

	if (strncmp(name, "gmon.", 5) != 0 || !strcmp(name, "gmon.out") ||
	    fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) != 0 ||
	    lstat(name, &here) != 0)
		return;
	if (there.st_dev == here.st_dev && there.st_ino == here.st_ino)
		unlink(name);
}

/* readdir() would want malloc(), which a signal handler may not have. */
static void forget_last(int dir)
{
	static char entries[4096] __attribute__((aligned(8)));
	long len, at;

	for (;;) {
		len = syscall(SYS_getdents64, dir, entries, sizeof(entries));
		if (len <= 0)
			return;
		for (at = 0; at < len;) {
			struct entry *entry = (struct entry *)(entries + at);

			forget_one(dir, entry->name);
			at += entry->len;
		}
	}
}

static bool lead_to(const char *path)
{
	char new[64];
	struct stat st;

	if (lstat(LAST, &st) == 0 && !S_ISLNK(st.st_mode))
		return false;
	snprintf(new, sizeof(new), LAST ".%ld", (long)getpid());
	if (symlink(path, new) != 0)
		return false;
	if (rename(new, LAST) == 0)
		return true;
	unlink(new);
	return false;
}

bool profil_latest_begin(const char *path)
{
	int dir;

	lock_directory();
	dir = open(LAST, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		forget_last(dir);
		close(dir);
	}
	return lead_to(path);
}

/* A file of that name that is still there is of an unknown program. */
void profil_latest_add(const char *path, const char *object)
{
	static char from[PATH_MAX], to[PATH_MAX], new[PATH_MAX];

	snprintf(from, sizeof(from), "%s/gmon.%s.out", path, object);
	snprintf(to, sizeof(to), "gmon.%s.out", object);
	snprintf(new, sizeof(new), LAST ".%ld", (long)getpid());
	if (link(from, new) == 0 && rename(new, to) != 0)
		unlink(new);
}

void profil_latest_end(void)
{
	unlock_directory();
}
