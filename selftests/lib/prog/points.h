/* SPDX-License-Identifier: GPL-2.0-only */
/* Test points in KTAP, for the programs that have many. */
#include <stdbool.h>
#include <stdio.h>

static int test_nr, test_bad;

static inline void result(bool good, const char *name)
{
	printf("%sok %d %s\n", good ? "" : "not ", ++test_nr, name);
	fflush(stdout);
	test_bad += !good;
}

static inline int finish(void)
{
	printf("1..%d\n", test_nr);
	return test_bad != 0;
}
