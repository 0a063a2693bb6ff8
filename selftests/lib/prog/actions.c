// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes 1000 calls, and then says what it is told of the actions of signals;
 * most ways end by a signal that the library holds, if it is told to:
 *
 * actions look		every call that sets an action, each flag, each mask
 * actions WAY		see the ways in each actions_*.c
 * actions traced WAY	as a core dump has it: by what and where it ends
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "actions.h"

void counted(void)
{
	__asm__ volatile ("");
}

void say(const char *what)
{
	if (write(1, what, strlen(what)) < 0)
		_exit(8);
}

void mine(int signo)
{
	(void)signo;
	say("mine\n");
}

void other(int signo)
{
	(void)signo;
	say("other\n");
}

const char *handler_name(handler_fn *handler)
{
	return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" :
	       handler == SIG_ERR ? "error" : handler == SIG_HOLD ? "held" :
	       handler == mine ? "mine" : handler == other ? "other" :
	       "unknown";
}

void told(const char *what)
{
	struct sigaction now;
	unsigned long long mask;

	memset(&now, 0, sizeof(now));
	if (sigaction(SIGTERM, NULL, &now) != 0)
		_exit(8);
	memcpy(&mask, &now.sa_mask, 8);
	printf("%s: %s, flags %x, mask %llx, restorer %d\n", what,
	       handler_name(now.sa_handler), now.sa_flags, mask,
	       !!now.sa_restorer);
}

static const struct way *const all_ways[] = {
	ways_to_look, ways_to_handle, ways_to_wait, ways_to_stack, ways_to_end,
	NULL,
};

int run_way(const char *way)
{
	const struct way *one;
	unsigned int i;

	for (i = 0; i < 1000; i++)
		counted();
	for (i = 0; all_ways[i]; i++)
		for (one = all_ways[i]; one->name; one++)
			if (!strcmp(way, one->name))
				one->run();
	printf("not ended\n");
	fflush(stdout);
	_exit(9);
}

int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	setbuf(stdout, NULL);
	if (argc == 3 && !strcmp(argv[1], "traced"))
		return run_traced(argv[2]);
	return argc == 2 ? run_way(argv[1]) : 2;
}
