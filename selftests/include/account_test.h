/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of accounting: the locked pages of a process, and the pinned pages
 * of the machine.
 */
#ifndef PROFIL_ACCOUNT_TEST_H
#define PROFIL_ACCOUNT_TEST_H

#include <stdio.h>
#include <sys/resource.h>

#include "profil_test.h"

/* Pages that this process has locked, from /proc/self/status. */
static inline long locked(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];
	long kib = -1;

	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmLck:", 6))
			kib = atol(line + 6);
	fclose(f);
	return kib / 4;
}

/* Pinned pages of the whole machine; -1 if the kernel does not count them. */
static inline long pinned(void)
{
	long value, acquired = -1, released = 0;
	char name[64];
	FILE *f;
	int fd;

	/* Flushes the per-CPU counters. */
	fd = open("/proc/sys/vm/stat_refresh", O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1)
		return -1;
	close(fd);
	f = fopen("/proc/vmstat", "r");

	while (fscanf(f, "%63s %ld", name, &value) == 2) {
		if (!strcmp(name, "nr_foll_pin_acquired"))
			acquired = value;
		else if (!strcmp(name, "nr_foll_pin_released"))
			released = value;
	}
	fclose(f);
	return acquired - released;
}

/* Pinned pages, after the work items of dead processes have ended. */
static inline long pinned_at_rest(void)
{
	long last, now = pinned();
	int same = 0;

	while (same < 5) {
		last = now;
		usleep(100000);
		now = pinned();
		same = now == last ? same + 1 : 0;
	}
	return now;
}

/* Whether the number comes back, since a work item unpins a moment later. */
static inline bool pinned_again(long before)
{
	int tries;

	for (tries = 0; tries < 6000 && pinned() != before; tries++)
		usleep(10000);
	return pinned() == before;
}

static inline void drop_rights(unsigned long limit)
{
	struct rlimit r = { limit, limit };

	if (setrlimit(RLIMIT_MEMLOCK, &r) || setgid(65534) || setuid(65534)) {
		ksft_print_msg("cannot drop rights\n");
		exit(KSFT_FAIL);
	}
}

#endif /* PROFIL_ACCOUNT_TEST_H */
