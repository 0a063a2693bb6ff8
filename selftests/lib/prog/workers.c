// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forks 20 workers; worker n makes n more calls than the one before.  Each
 * worker and the parent write their own calls to calls.PID.  With an argument,
 * each runs until the kernel has seen many ticks.
 */
#include <profil.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS	20

static volatile unsigned long turns;
static unsigned long threes, ones;

static void three(void)
{
	int i;

	threes++;
	for (i = 0; i < 30000; i++)
		turns++;
}

static void one(void)
{
	int i;

	ones++;
	for (i = 0; i < 10000; i++)
		turns++;
}

static void work(int rounds, int ticks)
{
	struct profil_counts counts;

	do {
		for (; rounds; rounds--) {
			three();
			one();
		}
		rounds = 20;
	} while (ticks && profil_counts_get(&counts, sizeof(counts)) == 0 &&
		 counts.seen < 100);
}

static int note(void)
{
	char name[32];
	FILE *file;

	snprintf(name, sizeof(name), "calls.%ld", (long)getpid());
	file = fopen(name, "w");
	if (!file)
		return 1;
	fprintf(file, "three %lu\none %lu\nwork 1\nnote 1\n", threes, ones);
	return fclose(file);
}

int main(int argc, char **argv)
{
	int i, status, bad = 0;
	pid_t pid;

	(void)argv;
	for (i = 1; i <= WORKERS; i++) {
		pid = fork();
		if (pid < 0)
			return 1;
		if (pid == 0) {
			work(i, argc > 1);
			return note();
		}
	}
	work(WORKERS + 1, 0);
	while (wait(&status) > 0)
		bad |= status;
	printf("%ld\n", (long)getpid());
	return note() || bad;
}
