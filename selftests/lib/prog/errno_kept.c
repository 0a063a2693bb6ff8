// SPDX-License-Identifier: GPL-2.0-only
/*
 * errno before and after what the library does: in calls that succeed or that
 * report no error, around main(), in a forked child, and in handlers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <profil.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "points.h"

#define ODD	77	/* no call of here sets it */
#define SIZE	65536

extern char __executable_start, etext;

/* As in profil/hpux.h, whose other declarations clash with <profil.h>. */
struct profil_hpux_prof {
	void *pr_base;
	unsigned int pr_size;
	void *pr_offset;
	unsigned int pr_scale;
};

int profil_hpux_sprofil(struct profil_hpux_prof *profp, int profcnt,
			struct timeval *tvp, unsigned int flags);

static volatile int in_handler = -1;
static bool tries_twice;

#define KEEPS(call) keeps(({ errno = ODD; call; errno; }), #call)

static void keeps(int error, const char *call)
{
	char name[120];

	snprintf(name, sizeof(name), "%s leaves errno alone", call);
	if (error != ODD)
		printf("# errno is %d: %s\n", error, strerror(error));
	result(error == ODD, name);
}

static short *memory(void)
{
	void *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		exit(2);
	return map;
}

static void forks(const char *name)
{
	int status;
	pid_t pid;

	errno = ODD;
	pid = fork();
	if (pid == 0)
		_exit(errno == ODD ? 0 : errno);
	result(waitpid(pid, &status, 0) == pid && status == 0, name);
}

static void pg_calls(void)
{
	KEEPS(monstartup(&__executable_start, &etext));
	KEEPS(moncontrol(0));
	KEEPS(moncontrol(1));
	forks("fork: the child of a -pg program finds errno as it was");
	KEEPS(_mcleanup());
	KEEPS(monstartup(2, 1));
}

static void monitor_calls(void)
{
	short *buffer = memory();

	KEEPS(monitor(&__executable_start, &etext, buffer, SIZE / 2, 0));
	KEEPS(moncontrol(0));
	KEEPS(moncontrol(1));
	madvise(buffer, SIZE, MADV_DONTFORK);
	forks("fork: the child that lacks monitor()'s buffer as well");
	moncontrol(0);
	munmap(buffer, SIZE);
	KEEPS(moncontrol(1));
	KEEPS(monitor(0));
}

/* As an allocator may that tried another way first. */
void *calloc(size_t nr, size_t size)
{
	void *memory = malloc(nr * size);

	if (memory)
		memset(memory, 0, nr * size);
	if (tries_twice)
		errno = ENOMEM;
	return memory;
}

static void own_calls(void)
{
	struct profil_counts counts;
	struct timeval tick;
	short *buffer = memory();
	struct prof region = { buffer, SIZE, 0, 0x10000 };
	struct profil_hpux_prof range = { buffer, SIZE, NULL, 0x10000 };

	KEEPS((void)profil_backend());
	KEEPS((void)profil_backend_name());
	KEEPS(profil((unsigned short *)buffer, SIZE, 0, 0x10000));
	KEEPS(profil((unsigned short *)buffer, SIZE, 0, 0));
	tries_twice = true;
	KEEPS(sprofil(&region, 1, &tick, PROF_USHORT));
	KEEPS(profil_hpux_sprofil(&range, 1, &tick, PROF_USHORT));
	tries_twice = false;
	KEEPS(sprofil(NULL, 0, NULL, PROF_USHORT));
	errno = ODD;
	if (profil_counts_get(&counts, sizeof(counts)) == 0)
		keeps(errno, "profil_counts_get");
	KEEPS(profil_dso_start());
	KEEPS(profil_dso_start());
}

static void handler(int signo)
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_ONSTACK };

	errno = ODD;
	if (sigaction(signo, &action, NULL) == 0)
		in_handler = errno;
}

/* The stack that it runs on is the library's, which can't take it away then. */
static void signals(void)
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_ONSTACK };

	sigaction(SIGUSR1, &action, NULL);
	setenv("PROFIL_ON_SIGNAL", "SEGV", 1);
	monstartup(&__executable_start, &etext);
	raise(SIGUSR1);
	keeps(in_handler, "sigaction() on the library's stack");
}

static void loads(const char *object)
{
	void *handle;

	errno = ODD;
	handle = dlopen(object, RTLD_NOW);
	result(handle && errno == ODD, "dlopen leaves errno alone");
	KEEPS(dlclose(handle));
}

/* Behind the library's own, which write the file. */
static __attribute__((destructor(101))) void last(void)
{
	if (getenv("AT_END"))
		_exit(errno == ODD ? 0 : 1);
}

static void ends(void)
{
	monitor(&__executable_start, &etext, memory(), SIZE / 2, 0);
	errno = ODD;
}

int main(int argc, char **argv)
{
	int at_start = errno;

	if (argc > 1 && !strcmp(argv[1], "end")) {
		ends();
		return 0;
	}
	if (at_start)
		printf("# errno is %d: %s\n", at_start, strerror(at_start));
	result(at_start == 0, "main() finds errno 0");
	if (argc == 1) {
		own_calls();
		pg_calls();
		monitor_calls();
	} else if (!strcmp(argv[1], "signals")) {
		signals();
	} else if (strcmp(argv[1], "start") != 0) {
		loads(argv[1]);
	}
	return finish();
}
