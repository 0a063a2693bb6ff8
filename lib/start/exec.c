// SPDX-License-Identifier: MIT
/*
 * Stands before the calls that execute a program.  Where the C library takes the
 * samples, its timer would go on in the next program, and SIGPROF end that.
 *
 * These are called in handlers, and in a child of vfork(), which has its parent's
 * memory.  So a constructor looks up what they call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#if defined(__GLIBC__)
/* A program may define a variable named environ. */
#define environ __environ
#endif

#include "device/libc.h"
#include "start/rawexec.h"

#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
#define HAS_EXECVEAT
#endif
#endif

typedef int exec_fn(const char *path, char *const argv[], char *const envp[]);
typedef int execv_fn(const char *path, char *const argv[]);

static int raw_execv(const char *path, char *const argv[])
{
	return profil_raw_execve(path, argv, environ);
}

static int raw_execvp(const char *file, char *const argv[])
{
	return profil_raw_execvpe(file, argv, environ);
}

static int raw_fexecve(int fd, char *const argv[], char *const envp[])
{
	return profil_raw_execveat(fd, "", argv, envp, AT_EMPTY_PATH);
}

static void *next_execve = profil_raw_execve;
static void *next_execv = raw_execv;
static void *next_execvp = raw_execvp;
static void *next_execvpe = profil_raw_execvpe;
static void *next_fexecve = raw_fexecve;
#if defined(HAS_EXECVEAT)
static void *next_execveat = profil_raw_execveat;
#endif

static void find_exec(const char *name, void **next)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (found)
		__atomic_store_n(next, found, __ATOMIC_RELAXED);
}

static __attribute__((constructor(101))) void find_exec_calls(void)
{
	int saved = errno;

	find_exec("execve", &next_execve);
	find_exec("execv", &next_execv);
	find_exec("execvp", &next_execvp);
	find_exec("execvpe", &next_execvpe);
	find_exec("fexecve", &next_fexecve);
#if defined(HAS_EXECVEAT)
	find_exec("execveat", &next_execveat);
#endif
	errno = saved;
}

static int pass_exec(exec_fn *next, const char *path, char *const argv[],
		     char *const envp[])
{
	struct itimerval timer;

	profil_libc_pause(&timer);
	return profil_libc_resume(&timer, next(path, argv, envp));
}

static int pass_execv(execv_fn *next, const char *path, char *const argv[])
{
	struct itimerval timer;

	profil_libc_pause(&timer);
	return profil_libc_resume(&timer, next(path, argv));
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return pass_exec(next_execve, path, argv, envp);
}

EXPORT int execv(const char *path, char *const argv[])
{
	return pass_execv(next_execv, path, argv);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return pass_execv(next_execvp, file, argv);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return pass_exec(next_execvpe, file, argv, envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	int (*next)(int fd, char *const argv[], char *const envp[]) =
		next_fexecve;
	struct itimerval timer;

	profil_libc_pause(&timer);
	return profil_libc_resume(&timer, next(fd, argv, envp));
}

#if defined(HAS_EXECVEAT)
EXPORT int execveat(int dir, const char *path, char *const argv[],
		    char *const envp[], int flags)
{
	int (*next)(int dir, const char *path, char *const argv[],
		    char *const envp[], int flags) = next_execveat;
	struct itimerval timer;

	profil_libc_pause(&timer);
	return profil_libc_resume(&timer, next(dir, path, argv, envp, flags));
}
#endif

static size_t count_list(const char *first, va_list args)
{
	size_t nr = !!first;

	while (first && va_arg(args, char *))
		nr++;
	return nr;
}

static int exec_array(exec_fn *next, const char *path, size_t nr,
		      const char *first, va_list args, bool with_env)
{
	const char *argv[nr + 1];
	size_t i;

	argv[0] = first;
	for (i = 1; i <= nr; i++)
		argv[i] = va_arg(args, char *);
	return pass_exec(next, path, (char *const *)argv,
			 with_env ? va_arg(args, char *const *) : environ);
}

/* The arguments, and behind them the environment if with_env. */
static int exec_list(exec_fn *next, const char *path, const char *first,
		     va_list args, bool with_env)
{
	va_list again;
	size_t nr;

	va_copy(again, args);
	nr = count_list(first, again);
	va_end(again);
	return exec_array(next, path, nr, first, args, with_env);
}

/* Others that stand before these calls have execvp(), and not always execvpe(). */
static int pass_execvp(const char *file, char *const argv[],
		       char *const envp[])
{
	execv_fn *next = next_execvp;

	(void)envp;
	return next(file, argv);
}

EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list args;
	int ret;

	va_start(args, arg);
	ret = exec_list(next_execve, path, arg, args, false);
	va_end(args);
	return ret;
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	va_list args;
	int ret;

	va_start(args, arg);
	ret = exec_list(next_execve, path, arg, args, true);
	va_end(args);
	return ret;
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
	va_list args;
	int ret;

	va_start(args, arg);
	ret = exec_list(pass_execvp, file, arg, args, false);
	va_end(args);
	return ret;
}
