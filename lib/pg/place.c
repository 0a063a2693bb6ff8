// SPDX-License-Identifier: MIT
/*
 * The place of a process's files: the directory gmon.PROGRAM.PID, or with
 * GMON_OUT_PREFIX the names with that prefix and the pid.
 *
 * A pid comes again.  So what is there already is another's, and gets company
 * of the next number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pg/place.h"

/* What a file system has for a name, less what comes before and behind. */
#define PROGRAM_MAX	200
#define NUMBERS_MAX	10000u

/* Under gmon.c's lock. */
static char program[PROGRAM_MAX + 1] = "program";
static struct {
	pid_t pid;		/* that made it; a forked child has another */
	dev_t dev;
	ino_t ino;
	int prefix;		/* bytes of the prefix that path begins with */
	char path[PATH_MAX];	/* with a prefix that of the program's file */
	char number[16];	/* "", ".2", ... */
} place;

void profil_place_begin(void)
{
	static const char deleted[] = " (deleted)";
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *name;

	if (len <= 0)
		return;
	path[len] = '\0';
	if ((size_t)len > strlen(deleted) &&
	    !strcmp(path + len - strlen(deleted), deleted))
		path[len - (ssize_t)strlen(deleted)] = '\0';
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	name[strnlen(name, PROGRAM_MAX)] = '\0';
	if (*name)
		memcpy(program, name, strlen(name) + 1);
}

static const char *prefix_wanted(void)
{
	const char *wish = secure_getenv("GMON_OUT_PREFIX");

	return wish && *wish ? wish : NULL;
}

/* Made by this process, at the path that the program now finds it by. */
static bool still_there(void)
{
	struct stat st;

	return place.pid == getpid() && lstat(place.path, &st) == 0 &&
	       st.st_dev == place.dev && st.st_ino == place.ino;
}

static int name_place(const char *wish, unsigned int number)
{
	long pid = getpid();
	int len;

	*place.number = '\0';
	if (number > 1)
		snprintf(place.number, sizeof(place.number), ".%u", number);
	len = wish ? snprintf(place.path, sizeof(place.path), "%s.%ld%s", wish,
			      pid, place.number) :
		     snprintf(place.path, sizeof(place.path), "gmon.%s.%ld%s",
			      program, pid, place.number);
	if (len < (int)sizeof(place.path))
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

static int make_directory(bool file)
{
	int fd;

	if (!file)
		return mkdir(place.path, 0777);
	fd = open(place.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd < 0 ? -1 : close(fd);
}

static int make_new(const char *wish)
{
	unsigned int number;
	struct stat st;

	for (number = 1; number < NUMBERS_MAX; number++) {
		if (name_place(wish, number) != 0)
			return -1;
		if (make_directory(wish) == 0)
			break;
		if (errno != EEXIST)
			return -1;
	}
	if (lstat(place.path, &st) != 0)
		return -1;
	place.dev = st.st_dev;
	place.ino = st.st_ino;
	place.prefix = wish ? (int)strlen(wish) : 0;
	place.pid = getpid();
	return 0;
}

int profil_place_make(void)
{
	const char *wish = prefix_wanted();

	if (still_there())
		return 0;
	place.pid = 0;
	if (wish && make_new(wish) == 0)
		return 0;
	if (wish)
		profil_report("%s: %s", place.path, profil_error(errno));
	return make_new(NULL);
}

const char *profil_place_path(void)
{
	return place.path;
}

bool profil_place_prefixed(void)
{
	return place.prefix;
}

bool profil_place_name(const char *object, char *name, size_t size)
{
	const char *dot = object ? "." : "";
	int len;

	if (place.pid != getpid())
		return false;
	if (!object)
		object = "";
	if (!place.prefix)
		len = snprintf(name, size, "%s/gmon%s%s.out", place.path, dot,
			       object);
	else
		len = snprintf(name, size, "%.*s%s%s%s", place.prefix,
			       place.path, dot, object,
			       place.path + place.prefix);
	return len < (int)size;
}

void profil_place_tell(void)
{
	static ino_t told;
	char dir[256];

	if (told == place.ino)
		return;
	told = place.ino;
	if (*place.path == '/' || !getcwd(dir, sizeof(dir) - 1))
		*dir = '\0';
	else
		strcat(dir, "/");
	profil_report("the profile of %s is in %s%s", program, dir,
		      place.path);
}
