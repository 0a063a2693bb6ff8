// SPDX-License-Identifier: MIT
/* Why a file was not written, and what would change it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out.h"

/* What is in the file's place; NULL for a file that could be written to. */
static const char *in_its_place(const char *name)
{
	struct stat st;

	if (lstat(name, &st) != 0)
		return NULL;
	switch (st.st_mode & S_IFMT) {
	case S_IFLNK:
		return "is a symbolic link";
	case S_IFIFO:
		return "is a FIFO";
	case S_IFSOCK:
		return "is a socket";
	case S_IFDIR:
		return "is a directory";
	case S_IFCHR:
	case S_IFBLK:
		return "is a device";
	default:
		return NULL;
	}
}

static const char *no_permission(const char *name)
{
	return access(name, F_OK) == 0 || errno == EACCES ?
	       "may not be written to" :
	       "may not be created: its directory may not be written to";
}

/* A limit that the user can read beside the word for it. */
static const char *over_limit(const char *format, int resource,
			      unsigned int unit)
{
	static char text[120];
	struct rlimit limit = { 0, 0 };

	getrlimit(resource, &limit);
	snprintf(text, sizeof(text), format,
		 (unsigned long long)limit.rlim_cur / unit);
	return text;
}

const char *profil_out_why(const char *name, int error)
{
	const char *why = in_its_place(name);
	static char other[120];

	if (why)
		return why;
	switch (error) {
	case EACCES:
	case EPERM:
		return no_permission(name);
	case ELOOP:
		return "is reached by too many symbolic links";
	case EROFS:
		return "is on a file system that is read-only";
	case ENOENT:
		return "has no directory to be in";
	case ENOTDIR:
		return "has a file where its path wants a directory";
	case ENOSPC:
		return "has no room on its disk";
	case EDQUOT:
		return "would pass the user's disk quota";
	case EFBIG:
		return over_limit("would be larger than RLIMIT_FSIZE allows, %llu KiB",
				  RLIMIT_FSIZE, 1024);
	case EMFILE:
		return over_limit("needs a descriptor, and all %llu that RLIMIT_NOFILE allows are open",
				  RLIMIT_NOFILE, 1);
	case ENFILE:
		return "needs a descriptor, and the system has all files open that it may";
	case ENAMETOOLONG:
		return "has too long a name";
	case EIO:
		return "could not be written by its disk: input/output error";
	default:
		snprintf(other, sizeof(other), "could not be written: %s",
			 profil_error(error));
		return other;
	}
}

static const char *what_to_do(const char *name, int error)
{
	if (in_its_place(name))
		return "remove it, or write elsewhere";
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return "make room, or write elsewhere";
	case EFBIG:
		return "raise it: ulimit -f";
	case EMFILE:
		return "raise it: ulimit -n";
	case ENFILE:
		return "as root: sysctl fs.file-max=MORE";
	default:
		return "write elsewhere";
	}
}

/* mon.out has a name that nothing changes. */
static const char *where_else(const char *name, int error)
{
	if (error == EFBIG || error == EMFILE || error == ENFILE)
		return "";
	return !strncmp(name, "mon.out", 7) ?
	       ", from another working directory" :
	       " with GMON_OUT_PREFIX=/directory/name";
}

void profil_out_report(const char *name, int error)
{
	struct stat st;
	bool kept = stat(name, &st) == 0 && S_ISREG(st.st_mode) && st.st_size;

	profil_report_lost("%s: %s: no profile written%s; %s%s", name,
			   profil_out_why(name, error),
			   kept && !in_its_place(name) ?
			   ", and the old one is kept" : "",
			   what_to_do(name, error), where_else(name, error));
}
