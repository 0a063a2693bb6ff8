// SPDX-License-Identifier: GPL-2.0-only
/* One bug of each kind that the detectors are for: each must be reported. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *racer(void *arg)
{
	shared++;
	return arg;
}

static int race(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, racer, NULL);
	shared++;
	return pthread_join(thread, NULL);
}

static int beyond(void)
{
	volatile char *bytes = malloc(16);
	volatile int end = 16;

	bytes[end] = 1;
	free((void *)bytes);
	return 0;
}

static int overflow(void)
{
	volatile int big = 0x7fffffff;

	big = big + 1;
	return big;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "race"))
		race();
	if (!strcmp(what, "beyond"))
		beyond();
	if (!strcmp(what, "overflow"))
		overflow();
	return 0;
}
