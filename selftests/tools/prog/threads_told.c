// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells threads.c of one thread before and after an exec: each argument is
 * IMAGE:NAME, a record in which the thread has that name.  Image 2 is what image 1
 * executes.  Prints the names at last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "threads.h"

static struct process processes[3];

struct process *process_get(uint32_t number)
{
	return &processes[number];
}

struct process *process_find(uint32_t number)
{
	return &processes[number];
}

int64_t now_ns(void)
{
	return 0;
}

int main(int argc, char **argv)
{
	struct profil_thread record = { .number = 77, .tid = 7 };
	char *name;
	int i;

	processes[2].about.how = PROFIL_IMAGE_EXEC;
	processes[2].about.parent = 1;
	for (i = 1; i < argc; i++) {
		record.image = strtoul(argv[i], &name, 10);
		record.cpu_ns = 1000 * i;
		strncpy(record.comm, name + 1, sizeof(record.comm) - 1);
		threads_told(&record);
	}
	for (i = 1; i <= 2; i++)
		printf("%s\n", threads_find(77, i)->comm);
	return 0;
}
