// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with a profile of its own, beside that of shared objects.
 *
 * dso_own open		profil(), then p4.so comes and goes
 * dso_own before	p4.so is there before profil(), and the only one at work
 * dso_own off		the same, and profil() ends before the work
 * dso_own two		sprofil() with two regions
 * dso_own unmapped	the buffer is unmapped, and later mapped again
 * dso_own rest		HP-UX: all that no region takes, also of p4.so
 * dso_own monitor	monitor() and its end
 * dso_own thread	OSF/1: of this thread alone
 * dso_own paused	moncontrol(0) before the end
 * dso_own written	_mcleanup() before the end; its files are removed
 * dso_own resumed	the same, then moncontrol(1)
 *
 * Prints the sums that it saw, and ends with 0 if they are right.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <profil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/profil.h>
#include <time.h>

#include "dso.h"

#define BINS	4096

extern int profil_hpux(unsigned short *buff, size_t bufsiz, size_t offset,
		       unsigned int scale);
extern void profil_osf1_thread(void *buffer, unsigned int size, void *offset,
			       unsigned long scale);

struct counted counted[OBJECTS];

static unsigned short bins[2][BINS];
static unsigned short *buffer = bins[0];
static void (*work)(int times, void (*back)(void));

static int passed(clock_t start)
{
	return clock() - start >= CLOCKS_PER_SEC / 2;
}

__attribute__((noinline, aligned(4096))) static void hot(void)
{
	clock_t start = clock();
	volatile int i;

	while (!passed(start))
		for (i = 0; i < 1000000; i++)
			;
}

__attribute__((noinline, aligned(4096))) static void other(void)
{
	clock_t start = clock();
	volatile int i;

	while (!passed(start))
		for (i = 0; i < 1000000; i++)
			;
}

static void work_long(void)
{
	clock_t start = clock();

	while (!passed(start))
		work(100, NULL);
}

static void *open_p4(void)
{
	void *handle = dlopen("./p4.so", RTLD_NOW);

	work = handle ? (void (*)(int, void (*)(void)))dlsym(handle, "work_4") :
			NULL;
	if (!work)
		fprintf(stderr, "%s\n", dlerror());
	return handle;
}

static long sum(const unsigned short *from)
{
	long n = 0;
	int i;

	for (i = 0; i < BINS; i++)
		n += from[i];
	printf(" %ld", n);
	return n;
}

static int on(void)
{
	return profil(buffer, sizeof(bins[0]), (size_t)hot, 0x10000) == 0;
}

static int opens(void)
{
	long a, b, c;
	void *handle;

	if (!on())
		return 1;
	hot();
	a = sum(buffer);
	handle = open_p4();
	hot();
	work_long();
	b = sum(buffer);
	dlclose(handle);
	hot();
	c = sum(buffer);
	return !(a > 0 && b > a && c > b);
}

static int before(void)
{
	open_p4();
	if (!on())
		return 1;
	hot();
	work_long();
	return sum(buffer) == 0;
}

static int off(void)
{
	long a;

	open_p4();
	if (!on())
		return 1;
	hot();
	if (profil(buffer, 0, 0, 0) != 0)
		return 2;
	a = sum(buffer);
	hot();
	work_long();
	return !a || sum(buffer) != a;
}

static int two(void)
{
	struct prof prof[2] = {
		{ bins[0], 512, (size_t)hot, 0x10000 },
		{ bins[1], 512, (size_t)other, 0x10000 },
	};

	if (sprofil(prof, 2, NULL, PROF_USHORT) != 0)
		return 1;
	open_p4();
	hot();
	other();
	work_long();
	return !sum(bins[0]) || !sum(bins[1]);
}

static int unmapped(void)
{
	void *map = mmap(NULL, sizeof(bins[0]), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	buffer = map;
	if (map == MAP_FAILED || !on())
		return 1;
	hot();
	munmap(map, sizeof(bins[0]));
	/* Long enough to be switched off. */
	other();
	if (mmap(map, sizeof(bins[0]), PROT_READ | PROT_WRITE, MAP_FIXED |
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != map)
		return 2;
	hot();
	open_p4();
	hot();
	work_long();
	return sum(buffer) != 0;
}

static int rest(void)
{
	long a;

	open_p4();
	if (profil_hpux(buffer, 2, 0, 2) != 0)
		return 1;
	hot();
	a = sum(buffer);
	work_long();
	return !a || sum(buffer) <= a;
}

static int with_monitor(void)
{
	open_p4();
	profil_monitor((unsigned long)hot, (unsigned long)hot + 4096, bins,
		       BINS, 10);
	hot();
	work_long();
	work(1, NULL);
	profil_monitor(0, 0, NULL, 0, 0);
	work_long();
	return 0;
}

static int thread(void)
{
	open_p4();
	profil_osf1_thread(buffer, sizeof(bins[0]), (void *)hot, 0x10000);
	hot();
	return !sum(buffer);
}

static int paused(void)
{
	open_p4();
	work(1, NULL);
	moncontrol(0);
	return 0;
}

static int written(void)
{
	open_p4();
	work(1, NULL);
	_mcleanup();
	return system("rm -r gmon.*");
}

static int resumed(void)
{
	int ret = written();

	moncontrol(1);
	work(1, NULL);
	return ret;
}

static const struct {
	const char *name;
	int (*run)(void);
} modes[] = {
	{ "open", opens }, { "before", before }, { "off", off }, { "two", two },
	{ "unmapped", unmapped }, { "rest", rest },
	{ "monitor", with_monitor }, { "thread", thread },
	{ "paused", paused }, { "written", written }, { "resumed", resumed },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	int ret = 1;
	int i;

	for (i = 0; argc > 1 && modes[i].name; i++)
		if (!strcmp(argv[1], modes[i].name))
			ret = modes[i].run();
	printf("\np4.so leaf_4 %lu\n", counted[4].leaf);
	return ret;
}
