// SPDX-License-Identifier: GPL-2.0-only
/*
 * One call of one entry point, and its errno: what the table of causes walks.
 * The dialect is that which this is compiled for.
 *
 *	entry CALL [files]: with files, no descriptor is left for the device
 */
#define _GNU_SOURCE
#include "dialect.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than a page, so that a user with RLIMIT_MEMLOCK 0 is refused. */
static struct counted one;
static unsigned int wide[BINS];
static short buffer[BINS];

static int regions(void)
{
	struct one_region region = { wide, sizeof(wide), 0x1000,
				     0x1000 + sizeof(wide) };

	return call_regions(&region, 1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int ret = 0;

	while (argc > 2 && open("/dev/null", O_RDONLY) >= 0)
		;
	errno = 0;
	if (!strcmp(what, "call"))
		ret = call(one.bins, sizeof(one.bins), 0x1000, 0x10000);
	else if (!strcmp(what, "regions"))
		ret = regions();
	else if (!strcmp(what, "monitor"))
		profil_monitor(0x1000, 0x2000, buffer, BINS, 0);
	else if (!strcmp(what, "name"))
		profil_backend_name();
	printf("%d %s\n", ret, ret ? strerrorname_np(errno) : "0");
	return 0;
}
