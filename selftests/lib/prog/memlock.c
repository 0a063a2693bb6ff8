// SPDX-License-Identifier: GPL-2.0-only
/*
 * The -pg run-time over a megabyte of text, for a user with RLIMIT_MEMLOCK of
 * COUNT bytes, which is less than the counters take.
 */
#include <profil.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

extern char __executable_start;

int main(int argc, char **argv)
{
	unsigned long low = (unsigned long)&__executable_start;
	unsigned long limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	struct rlimit memlock = { limit, limit };

	if (setrlimit(RLIMIT_MEMLOCK, &memlock) != 0 || setuid(65534) != 0)
		return 1;
	monstartup(low, low + (1UL << 20));
	puts(profil_backend_name());
	_mcleanup();
	return 0;
}
