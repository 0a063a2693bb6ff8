// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls before and after a fork.  Prints the calls of each process, to the
 * files "parent" and "child".
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile unsigned long turns;

static void before(void)
{
	__asm__ volatile ("");
}

static void parent_only(void)
{
	__asm__ volatile ("");
}

static void child_only(void)
{
	__asm__ volatile ("");
}

static void burn(void)
{
	unsigned long i;

	do {
		for (i = 0; i < 1000000; i++)
			turns++;
	} while (clock() < CLOCKS_PER_SEC);
}

static void repeat(void (*call)(void), int times)
{
	while (times--)
		call();
}

static int note(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	if (!file)
		return 1;
	fputs(text, file);
	return fclose(file);
}

int main(void)
{
	char name[] = "true";
	char *argv[2] = { name, NULL };
	pid_t pid, spawned;
	char text[32];
	int status;

	unsetenv("LD_PRELOAD");
	repeat(before, 70);
	if (posix_spawnp(&spawned, name, NULL, NULL, argv, environ) != 0 ||
	    waitpid(spawned, &status, 0) != spawned || status)
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (pid == 0) {
		repeat(child_only, 11);
		burn();
		note("child", "child_only 11\nrepeat 1\nburn 1\nnote 1\n");
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	repeat(parent_only, 500);
	snprintf(text, sizeof(text), "%d\n", (int)pid);
	note("child.pid", text);
	note("parent", "before 70\nparent_only 500\nrepeat 2\nnote 2\n");
	return 0;
}
