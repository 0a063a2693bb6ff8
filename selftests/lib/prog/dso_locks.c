// SPDX-License-Identifier: GPL-2.0-only
/*
 * A constructor closes an object while another thread opens one: that thread waits
 * for the loader, which the constructor's has.  The program's RUNPATH is why the
 * loader was not called by the library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "dso.h"

struct counted counted[OBJECTS];

static int opening[2];
static void *closed;

static void *open_other(void *arg)
{
	char c;

	(void)arg;
	if (read(opening[0], &c, 1) != 1)
		return NULL;
	return dlopen("./p5.so", RTLD_NOW);
}

/* Called by the constructor of waits.so. */
void from_constructor(void)
{
	if (write(opening[1], "", 1) != 1)
		_exit(2);
	/* Now the other thread waits for the loader. */
	usleep(300000);
	if (dlclose(closed))
		_exit(3);
}

int main(void)
{
	pthread_t thread;
	void *other;

	closed = dlopen("./p4.so", RTLD_NOW);
	if (!closed || pipe(opening) ||
	    pthread_create(&thread, NULL, open_other, NULL))
		return 1;
	if (!dlopen("waits.so", RTLD_NOW))
		return 4;
	pthread_join(thread, &other);
	return !other;
}
