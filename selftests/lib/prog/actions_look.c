// SPDX-License-Identifier: GPL-2.0-only
/* What the program is told after each call, flag and mask that set an action. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions.h"

static void set(const char *what, handler_fn *handler, int flags, int mask)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	if (mask)
		sigaddset(&action.sa_mask, mask);
	errno = 7;
	if (sigaction(SIGTERM, &action, &old) != 0)
		_exit(8);
	printf("%s, was %s, flags %x, errno %d\n", what,
	       handler_name(old.sa_handler), old.sa_flags, errno);
	told(what);
}

static void look_masks(void)
{
	int i;

	for (i = 1; i < 8; i++)
		set("with a mask", SIG_DFL, 0, i);
	set("mask and flags", SIG_DFL, SA_NODEFER | SA_RESTART, SIGHUP);
}

static void look_each(handler_fn *(*call)(int signo, handler_fn *handler))
{
	printf("was %s\n", handler_name(call(SIGTERM, mine)));
	told("handler");
	printf("was %s\n", handler_name(call(SIGTERM, SIG_DFL)));
	told("default");
	printf("was %s\n", handler_name(call(SIGTERM, SIG_IGN)));
	told("ignored");
	printf("was %s\n", handler_name(call(SIGTERM, SIG_DFL)));
	told("default again");
	errno = 0;
	printf("bad: %s\n", handler_name(call(99, SIG_DFL)));
	printf("errno %d\n", errno);
	siginterrupt(SIGTERM, 1);
	told("interrupts");
	printf("was %s\n", handler_name(call(SIGTERM, SIG_DFL)));
	told("and default");
	siginterrupt(SIGTERM, 0);
	told("restarts");
}

static void look(void)
{
#if defined(__GLIBC__) && !defined(STATIC)
	struct sigaction now;
#endif
	static const struct {
		const char *name;
		int flag;
	} flags[] = {
		{ "no flag", 0 }, { "SA_SIGINFO", SA_SIGINFO },
		{ "SA_ONSTACK", SA_ONSTACK }, { "SA_RESTART", SA_RESTART },
		{ "SA_NODEFER", SA_NODEFER }, { "SA_NOCLDSTOP", SA_NOCLDSTOP },
		{ "SA_RESETHAND", SA_RESETHAND }, { "unknown", 0x100 },
		{ NULL, 0 },
	};
	unsigned int i;
	stack_t stack;

	told("at the start");
	for (i = 0; flags[i].name; i++) {
		set(flags[i].name, SIG_DFL, flags[i].flag, 0);
		set(flags[i].name, mine, flags[i].flag, SIGHUP);
	}
	look_masks();
	printf("signal\n");
	look_each(signal);
	printf("bsd_signal\n");
	look_each(bsd_signal);
	printf("__sysv_signal\n");
	look_each(__sysv_signal);
	printf("sigset\n");
	look_each(sigset);
	printf("hold: %s\n", handler_name(sigset(SIGTERM, SIG_HOLD)));
	printf("hold: %s\n", handler_name(sigset(SIGTERM, SIG_HOLD)));
	printf("default: %s\n", handler_name(sigset(SIGTERM, SIG_DFL)));
	printf("default: %s\n", handler_name(sigset(SIGTERM, SIG_DFL)));
	sigignore(SIGTERM);
	told("sigignore");
#ifdef __GLIBC__
	printf("ssignal\n");
	look_each(ssignal);
#ifndef STATIC
	__sigaction(SIGTERM, NULL, &now);
	printf("__sigaction: %s\n", handler_name(now.sa_handler));
#endif
	printf("signal: %s, errno %d\n",
	       handler_name(signal(SIGTERM, SIG_ERR)), errno);
#endif
	if (system("exit 3") != 3 << 8)
		printf("system failed\n");
	signal(SIGTERM, SIG_DFL);
	memset(&stack, 1, sizeof(stack));
	printf("sigaltstack %d\n", sigaltstack(NULL, &stack));
	printf("%p, flags %x, size %zu\n", stack.ss_sp, stack.ss_flags,
	       stack.ss_size);
	fflush(stdout);
	raise(SIGTERM);
}

const struct way ways_to_look[] = {
	{ "look", look }, { NULL, NULL },
};
