// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls into shared objects, and lets them call back, then prints for each
 * object the calls that were made: "object function calls".
 *
 * dso linked TIMES	three that it is linked with; 0: for many ticks;
 * dso loop TIMES	opens and closes p4.so, from four threads at once;
 * dso race TIMES	p4.so and p5.so, likewise;
 * dso swap TIMES	p4.so and p5.so by turns, each where the other was;
 * dso runpath		r6.so, which opens p4.so in a directory it alone knows
 * dso late		p4.so, profiled from the middle on
 * dso fork		p4.so and p5.so before, only the first in the child
 * dso same		a/p4.so and b/p4.so, of the same name
 * dso deep DIR		DIR/p4.so, opened with RTLD_DEEPBIND, twice
 * dso space		libm.so.6 in a name space of its own
 * dso replace		p4.so, then p5.so renamed over its file
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <profil.h>
#include <pthread.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dso.h"

typedef void work_fn(int times, void (*back)(void));

struct counted counted[OBJECTS] = {
	{ .label = "" },
	{ .label = "lib1.so" }, { .label = "lib2.so" }, { .label = "lib3.so" },
	{ .label = "p4.so" }, { .label = "p5.so" }, { .label = "r6.so" },
};

static unsigned long backs;
static unsigned int times = 10;

static void back(void)
{
	__atomic_add_fetch(&backs, 1, __ATOMIC_RELAXED);
}

#ifdef LINKED
work_fn work_1, work_2, work_3;

static int linked(void)
{
	struct profil_counts books = { .seen = 0 };
	unsigned int i;

	for (i = 0; i < times || (!times && books.seen < 2000); i++) {
		work_1(10, back);
		work_2(10, NULL);
		work_3(10, back);
		if (!times && profil_counts_get(&books, sizeof(books)) != 0)
			break;
	}
	return 0;
}
#else
static int linked(void)
{
	return 1;
}
#endif

static void *symbol(void *handle, const char *what, int id)
{
	char name[32];
	void *found;

	snprintf(name, sizeof(name), "%s_%d", what, id);
	found = dlsym(handle, name);
	if (!found) {
		fprintf(stderr, "%s: %s\n", name, dlerror());
		exit(1);
	}
	return found;
}

static void use(void *handle, int id)
{
	work_fn *work = symbol(handle, "work", id);

	work(2, back);
}

static void *opened(const char *name)
{
	void *handle = dlopen(name, RTLD_NOW);

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return handle;
}

static void *loop(void *arg)
{
	int id = *(const int *)arg;
	unsigned int i;

	for (i = 0; i < times; i++) {
		void *handle = opened(id == 4 ? "./p4.so" : "./p5.so");

		use(handle, id);
		dlclose(handle);
	}
	return NULL;
}

static int in_threads(int even, int odd)
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, loop,
				   i % 2 ? &odd : &even) != 0)
			return 1;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int loops(void)
{
	return in_threads(4, 4);
}

static int race(void)
{
	return in_threads(4, 5);
}

static int swap(void)
{
	void *where[2] = { NULL, NULL };
	unsigned int i, same = 0;

	for (i = 0; i < 2 * times; i++) {
		void *handle = opened(i % 2 ? "./p5.so" : "./p4.so");

		use(handle, i % 2 ? 5 : 4);
		where[i % 2] = symbol(handle, "work", i % 2 ? 5 : 4);
		same += i && where[0] == where[1];
		dlclose(handle);
	}
	/* Or nothing was tried. */
	return same == 0;
}

static int runpath(void)
{
	void *handle = opened("./r6.so");
	void *(*open)(const char *name);
	void *inner;

	/* It is not found from here. */
	if (dlopen("p4.so", RTLD_NOW))
		return 1;
	open = symbol(handle, "open", 6);
	inner = open("p4.so");
	if (!inner) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	use(inner, 4);
	use(handle, 6);
	return 0;
}

static void forget(void)
{
	int i;

	backs = 0;
	for (i = 0; i < OBJECTS; i++)
		memset(&counted[i].leaf, 0,
		       sizeof(counted[i]) - offsetof(struct counted, leaf));
}

static int late(void)
{
	void *handle = opened("./p4.so");

	use(handle, 4);
	forget();
	if (profil_dso_start() != 0)
		return 1;
	use(handle, 4);
	return 0;
}

static int forks(void)
{
	void *handle[2] = { opened("./p4.so"), opened("./p5.so") };
	int status;
	pid_t pid;

	use(handle[0], 4);
	use(handle[1], 5);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return 1;
	if (pid == 0) {
		forget();
		use(handle[0], 4);
		dlclose(handle[0]);
		handle[0] = opened("./p4.so");
		use(handle[0], 4);
		return freopen("child", "w", stdout) ? 0 : 2;
	}
	if (waitpid(pid, &status, 0) != pid || status)
		return 3;
	use(handle[1], 5);
	return 0;
}

static int same(void)
{
	void *handle[2] = { opened("a/p4.so"), opened("b/p4.so") };

	use(handle[0], 4);
	use(handle[1], 5);
	/* Its own name is what the second of a name is called. */
	use(opened("a/p4.so.2"), 5);
	return 0;
}

static const char *directory;

static int deep(void)
{
	int modes[2] = { RTLD_LAZY | RTLD_DEEPBIND, RTLD_NOW | RTLD_DEEPBIND };
	char name[64];
	void *handle;
	int i;

	snprintf(name, sizeof(name), "%s/p4.so", directory);
	for (i = 0; i < 2; i++) {
		handle = dlopen(name, modes[i]);
		if (!handle)
			return 1;
		use(handle, 4);
		dlclose(handle);
	}
	return 0;
}

static int space(void)
{
	return !dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
}

static int replace(void)
{
	void *handle = opened("./p4.so");

	use(handle, 4);
	dlclose(handle);
	if (rename("p5.so", "p4.so") != 0)
		return 1;
	handle = opened("./p4.so");
	use(handle, 5);
	dlclose(handle);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} modes[] = {
	{ "linked", linked }, { "loop", loops }, { "race", race },
	{ "swap", swap }, { "runpath", runpath }, { "late", late },
	{ "fork", forks }, { "same", same }, { "replace", replace },
	{ "deep", deep }, { "space", space },
	{ NULL, NULL },
};

static void print(const char *label, const char *what, unsigned int id,
		  unsigned long calls)
{
	if (calls)
		printf("%s %s_%u %lu\n", label, what, id, calls);
}

int main(int argc, char **argv)
{
	unsigned int i;
	int ret = 1;

	directory = argc > 2 ? argv[2] : ".";
	if (argc > 2)
		times = (unsigned int)atoi(argv[2]);
	for (i = 0; argc > 1 && modes[i].name; i++)
		if (!strcmp(argv[1], modes[i].name))
			ret = modes[i].run();
	for (i = 1; i < OBJECTS; i++) {
		print(counted[i].label, "leaf", i, counted[i].leaf);
		print(counted[i].label, "start", i, counted[i].start);
		print(counted[i].label, "work", i, counted[i].work);
		print(counted[i].label, "open", i, counted[i].open);
	}
	printf("program back %lu\n", backs);
	return ret;
}
