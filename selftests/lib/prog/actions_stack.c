// SPDX-License-Identifier: GPL-2.0-only
/* The stack that the program gives to its handlers, and one that overflows. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "actions.h"

static void *map_stack(stack_t *stack)
{
	stack->ss_size = 65536;
	stack->ss_flags = 0;
	stack->ss_sp = mmap(NULL, stack->ss_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return stack->ss_sp;
}

static void told_stack(const char *what, const void *own)
{
	stack_t now;

	sigaltstack(NULL, &now);
	printf("%s: %s, flags %x, size %zu\n", what,
	       now.ss_sp == own ? "own" : now.ss_sp ? "unknown" : "no",
	       now.ss_flags, now.ss_size);
}

static stack_t own_stack;

static void where(int signo)
{
	char here;

	(void)signo;
	printf("%s\n", (uintptr_t)&here - (uintptr_t)own_stack.ss_sp <
		       own_stack.ss_size ? "on its own" : "on another");
	told_stack("in a handler", own_stack.ss_sp);
	fflush(stdout);
}

static int overflow(volatile char *above)
{
	volatile char here[4096];

	here[0] = above ? above[0] : 1;
	return overflow(here) + here[0];
}

static void altstack(void)
{
	stack_t old;

	told_stack("at the start", NULL);
	map_stack(&own_stack);
	printf("set %d\n", sigaltstack(&own_stack, &old));
	told_stack("its own", own_stack.ss_sp);
	printf("back %d\n", sigaltstack(&old, NULL));
	told_stack("back", NULL);
	fflush(stdout);
	overflow(NULL);
}

static void onstack(void)
{
	struct sigaction action = { .sa_handler = where,
				    .sa_flags = SA_ONSTACK };
	char here[256];

	sigaction(SIGUSR1, &action, NULL);
	own_stack.ss_sp = here - 65536;
	own_stack.ss_size = 65536;
	raise(SIGUSR1);
	map_stack(&own_stack);
	sigaltstack(&own_stack, NULL);
	raise(SIGUSR1);
	raise(SIGTERM);
}

static void use_much(int signo)
{
	volatile char much[300000];
	size_t i;

	(void)signo;
	for (i = 0; i < sizeof(much); i++)
		much[i] = 'x';
}

static void *install(void *unused)
{
	struct sigaction action = { .sa_handler = use_much,
				    .sa_flags = SA_ONSTACK };

	sigaction(SIGUSR1, &action, NULL);
	return unused;
}

/* The thread that starts has the library's stack; memory lies below it. */
static void deep(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, install, NULL);
	pthread_join(thread, NULL);
	raise(SIGUSR1);
}

const struct way ways_to_stack[] = {
	{ "altstack", altstack }, { "onstack", onstack }, { "deep", deep },
	{ NULL, NULL },
};
