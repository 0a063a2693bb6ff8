// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library's insides, compiled with the sanitizers: runs the tests of each
 * unit_*.c, or writes a file of counters beyond 16 bits:
 *
 * unit				the tests
 * unit LOW HIGH PC PC		gmon.out, of that text
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "points.h"
#include "unit.h"

void tested(bool good, const char *name)
{
	result(good, name);
}

int main(int argc, char **argv)
{
	if (argc == 5) {
		write_big(strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0),
			  strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
		return test_bad;
	}
	puts("KTAP version 1");
	test_arcs();
	test_cut();
	test_wide_arcs();
	test_file();
	test_arguments();
	return finish();
}
