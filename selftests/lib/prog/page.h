/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of a manual page share: text to be sampled, and test
 * points, in nothing but C89 and C++.  Of profil() they use what the page
 * shows, and look at counters only.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define HOT	__attribute__((noinline, aligned(64), section("hot")))
#define SOME	__attribute__((unused))	/* not by every page */
#define TEXT(f)	((unsigned long)(f))

/* CPU time, not that of the clock on the wall. */
#define A_WHILE		(CLOCKS_PER_SEC / 5)
#define FOREVER		(30 * CLOCKS_PER_SEC)

static int point_nr, point_bad;
static volatile unsigned long turns;

static SOME void point(int good, const char *name)
{
	printf("%sok %d %s\n", good ? "" : "not ", ++point_nr, name);
	fflush(stdout);
	point_bad += !good;
}

static SOME int points_end(void)
{
	printf("1..%d\n", point_nr);
	return point_bad != 0;
}

/* Sections keep the order of the file. */
HOT static void first(void)
{
	int i;

	for (i = 0; i < 20000; i++)
		turns++;
}

HOT static SOME void second(void)
{
	int i;

	for (i = 0; i < 20000; i++)
		turns++;
}

HOT static SOME void after(void)
{
	turns++;
}

/* Counters of one width. */
struct counters {
	const void *base;
	unsigned long bytes;
	unsigned int width;
};

static double sum(const struct counters *c, unsigned long from)
{
	unsigned long i;
	double n = 0;

	for (i = from; i < c->bytes / c->width; i++) {
		if (c->width == 2)
			n += ((const volatile unsigned short *)c->base)[i];
		else if (c->width == 4)
			n += ((const volatile unsigned int *)c->base)[i];
		else
			n += (double)((const volatile unsigned long *)
				      c->base)[i];
	}
	return n;
}

static SOME void burn(void (*work)(void))
{
	clock_t start = clock();

	while (clock() - start < A_WHILE)
		work();
}

/* Does work bring samples to the counters? */
static SOME int grows(const struct counters *c, void (*work)(void))
{
	clock_t start = clock();
	double before = sum(c, 0);

	while (sum(c, 0) < before + 3) {
		if (clock() - start > FOREVER)
			return 0;
		work();
	}
	return 1;
}

static SOME int still(const struct counters *c, void (*work)(void))
{
	double before = sum(c, 0);

	burn(work);
	return sum(c, 0) == before;
}

/* Do the counters grow in a child as well? */
static SOME int grows_in_child(const struct counters *c, void (*work)(void))
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(!grows(c, work));
	return waitpid(pid, &status, 0) == pid && status == 0;
}

#endif /* PAGE_H */
