// SPDX-License-Identifier: MIT
/*
 * Executes a program by system calls alone.
 *
 * Another object's constructor may do so before those of this library, also in a
 * child of vfork(), and dlsym() would then write to its parent's memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "start/rawexec.h"

int profil_raw_execve(const char *path, char *const argv[], char *const envp[])
{
	return (int)syscall(SYS_execve, path, argv, envp);
}

int profil_raw_execveat(int dir, const char *path, char *const argv[],
			char *const envp[], int flags)
{
	return (int)syscall(SYS_execveat, dir, path, argv, envp, flags);
}

static size_t count_args(char *const argv[])
{
	size_t nr = 0;

	while (argv[nr])
		nr++;
	return nr;
}

static void exec_by_shell(const char *path, char *const argv[],
			  char *const envp[])
{
	size_t nr = count_args(argv);
	const char *shell[nr + 3];

	shell[0] = "/bin/sh";
	shell[1] = path;
	/* The NULL at the end is copied too, and argv[0] is not. */
	memcpy(shell + 2, argv + !!nr, (nr + !nr) * sizeof(*argv));
	profil_raw_execve(shell[0], (char *const *)shell, envp);
}

static int exec_file(const char *path, char *const argv[], char *const envp[])
{
	profil_raw_execve(path, argv, envp);
	if (errno == ENOEXEC)
		exec_by_shell(path, argv, envp);
	return -1;
}

/* The next directory may have the file, as execvp(3) and the C library say. */
static bool is_elsewhere(int error)
{
	return error == EACCES || error == ENOENT || error == ENOTDIR ||
	       error == ESTALE || error == ENODEV || error == ETIMEDOUT;
}

/* False if the name is too long for a path, which has no such file then. */
static bool join_path(char *path, const char *dir, size_t len, const char *file)
{
	size_t size = strlen(file) + 1;

	if (len + 1 + size > PATH_MAX)
		return false;
	memcpy(path, dir, len);
	if (len)
		path[len++] = '/';
	memcpy(path + len, file, size);
	return true;
}

int profil_raw_execvpe(const char *file, char *const argv[],
		       char *const envp[])
{
	const char *dirs = getenv("PATH");
	int error = ENOENT;
	char path[PATH_MAX];
	size_t len;

	if (strchr(file, '/'))
		return exec_file(file, argv, envp);
	if (!*file)
		return profil_fail(ENOENT);
	if (strlen(file) > NAME_MAX)
		return profil_fail(ENAMETOOLONG);
	for (dirs = dirs ? dirs : "/bin:/usr/bin";; dirs += len + 1) {
		len = strcspn(dirs, ":");
		if (join_path(path, dirs, len, file)) {
			exec_file(path, argv, envp);
			if (!is_elsewhere(errno))
				return -1;
			if (errno == EACCES)
				error = EACCES;
		}
		if (!dirs[len])
			return profil_fail(error);
	}
}
