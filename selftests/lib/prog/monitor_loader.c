// SPDX-License-Identifier: GPL-2.0-only
/*
 * monitor() waits for the loader while a thread that has the loader takes a
 * signal, and the handler calls moncontrol().  The program stands in for what the
 * library calls before it waits.
 *
 * monitor_loader list		the thread is in dl_iterate_phdr()
 * monitor_loader object	it is in a constructor of waits.so, and monitor()
 *				chooses the backend by dlsym()
 * monitor_loader once		the thread and main() choose it at once
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <profil.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int iterate_fn(int (*)(struct dl_phdr_info *, size_t, void *), void *);

extern char __executable_start, etext;

static short buf[30000];
static const char *how = "";
static iterate_fn *real_iterate;
static pthread_t begins;	/* the thread that calls monitor() */
static sem_t has_loader, wants_loader;

static void handler(int signo)
{
	(void)signo;
	moncontrol(1);
}

/* Called where the thread has the loader, and by waits.so. */
void from_constructor(void)
{
	const struct timespec pause = { 0, 100000000 };

	sem_post(&has_loader);
	sem_wait(&wants_loader);
	/* What was said is that it is about to wait. */
	nanosleep(&pause, NULL);
	if (!strcmp(how, "once"))
		profil_backend();
	else
		raise(SIGUSR1);
}

static int in_list(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	from_constructor();
	return 1;
}

static void *thread(void *arg)
{
	if (!strcmp(how, "list"))
		real_iterate(in_list, NULL);
	else if (!dlopen("./waits.so", RTLD_NOW))
		_exit(3);
	return arg;
}

static void said(const char *what)
{
	if (!strcmp(how, what) && pthread_equal(begins, pthread_self()))
		sem_post(&wants_loader);
}

int dl_iterate_phdr(int (*call)(struct dl_phdr_info *, size_t, void *),
		    void *arg)
{
	said("list");
	if (!real_iterate)
		real_iterate = (iterate_fn *)dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real_iterate(call, arg);
}

int main(int argc, char **argv)
{
	pthread_t other;

	real_iterate = (iterate_fn *)dlsym(RTLD_NEXT, "dl_iterate_phdr");
	begins = pthread_self();
	signal(SIGUSR1, handler);
	how = argc > 1 ? argv[1] : "";
	if (pthread_create(&other, NULL, thread, NULL))
		return 2;
	sem_wait(&has_loader);
	/* The first call of the library is dlsym(), which this can't stand in for. */
	if (strcmp(how, "list"))
		sem_post(&wants_loader);
	if (!strcmp(how, "once")) {
		profil_backend();
		pthread_join(other, NULL);
		return 0;
	}
	monitor(&__executable_start, &etext, buf, 30000, 100);
	pthread_join(other, NULL);
	monitor(0);
	return 0;
}
