// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes 1000 calls, and then ends otherwise than by exit:
 *
 * ends exit		_mcleanup and _exit
 * ends handler		the same in a handler of SIGTERM, that comes while
 *			threads allocate, print, and look at the loader's list
 * ends kill SIGNAL	by that signal
 * ends segv, abort, overflow	by a fault, abort(), a stack that is full
 * ends own		a handler of its own, which leaves no file
 */
#define _GNU_SOURCE
#include <link.h>
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define THREADS	3

static void counted(void)
{
	__asm__ volatile ("");
}

static void save(int signo)
{
	(void)signo;
	_mcleanup();
	_exit(0);
}

static void leave(int signo)
{
	(void)signo;
	_exit(0);
}

static int no_more(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	return 0;
}

static void *busy(void *arg)
{
	char text[64];

	for (;;) {
		free(malloc(1000));
		printf("%s\n", text + snprintf(text, sizeof(text), "%p", arg));
		fflush(stdout);
		dl_iterate_phdr(no_more, NULL);
	}
	return NULL;
}

static void under_way(void)
{
	struct timespec wait = { 0, 0 };
	pthread_t thread;
	int i;

	signal(SIGTERM, save);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, busy, NULL) != 0)
			_exit(1);
	wait.tv_nsec = getpid() % 100 * 100000;
	nanosleep(&wait, NULL);
	/* To any of them. */
	kill(getpid(), SIGTERM);
	busy(NULL);
}

static int overflow(volatile char *above)
{
	volatile char here[4096];

	here[0] = above ? above[0] : 1;
	return overflow(here) + here[0];
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct rlimit none = { 0, 0 };
	int i;

	setrlimit(RLIMIT_CORE, &none);
	for (i = 0; i < 1000; i++)
		counted();
	if (!strcmp(how, "exit"))
		save(0);
	if (!strcmp(how, "handler"))
		under_way();
	if (!strcmp(how, "kill") && argc > 2)
		raise(atoi(argv[2]));
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 0;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "overflow"))
		return overflow(NULL);
	if (!strcmp(how, "own")) {
		signal(SIGTERM, leave);
		raise(SIGTERM);
	}
	/* Where the signal is ignored. */
	unlink("gmon.out");
	_exit(9);
}
