// SPDX-License-Identifier: GPL-2.0-only
/* Handlers of the program that chain, call the library's, or run once. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "actions.h"

static struct sigaction was;

/* What crash reporters do with the handler that was there before. */
static handler_fn *old_handler;

static void chain_one(int signo)
{
	say("first mine\n");
	if (old_handler == SIG_DFL) {
		signal(signo, SIG_DFL);
		raise(signo);
	} else if (old_handler != SIG_IGN) {
		old_handler(signo);
	}
}

static void chain_three(int signo, siginfo_t *info, void *context)
{
	say("first mine\n");
	if (was.sa_flags & SA_SIGINFO) {
		was.sa_sigaction(signo, info, context);
	} else if (was.sa_handler == SIG_DFL) {
		sigaction(signo, &was, NULL);
		raise(signo);
	} else if (was.sa_handler != SIG_IGN) {
		was.sa_handler(signo);
	}
}

static void chain_signal(void)
{
	old_handler = signal(SIGTERM, chain_one);
	kill(getpid(), SIGTERM);
}

static void set_chain(int signo)
{
	struct sigaction action = { .sa_sigaction = chain_three,
				    .sa_flags = SA_SIGINFO };

	sigaction(signo, &action, &was);
}

static void chain_sigaction(void)
{
	set_chain(SIGTERM);
	kill(getpid(), SIGTERM);
}

static void chain_fault(void)
{
	set_chain(SIGSEGV);
	fault();
}

/* The kernel's action: what a run-time with system calls of its own reads. */
static handler_fn *raw;

static void call_raw(int signo)
{
	say("called\n");
	if (raw == SIG_DFL) {
		signal(signo, SIG_DFL);
		raise(signo);
	} else {
#if defined(__x86_64__)
		__asm__ volatile ("" : : "S" (5), "d" (5));
#endif
		raw(signo);
		say("not ended\n");
	}
}

static void look_raw(int signo)
{
	struct {
		handler_fn *handler;
		unsigned long rest[8];
	} kernels;

	if (syscall(SYS_rt_sigaction, signo, NULL, &kernels, 8) != 0)
		_exit(8);
	raw = kernels.handler;
}

static void called(void)
{
	look_raw(SIGTERM);
	signal(SIGTERM, call_raw);
	raise(SIGTERM);
}

static void called_fault(void)
{
	look_raw(SIGSEGV);
	signal(SIGSEGV, call_raw);
	fault();
}

static void called_plain(void)
{
	look_raw(SIGTERM);
	call_raw(SIGTERM);
}

static void over_default(void)
{
	sigaction(SIGTERM, NULL, &was);
	if (was.sa_handler == SIG_DFL)
		signal(SIGTERM, mine);
	raise(SIGTERM);
	if (signal(SIGINT, other) != SIG_DFL)
		signal(SIGINT, SIG_DFL);
	raise(SIGINT);
}

static void restored(void)
{
	struct sigaction action = { .sa_handler = mine };

	sigaction(SIGTERM, &action, &was);
	raise(SIGTERM);
	sigaction(SIGTERM, &was, NULL);
	raise(SIGTERM);
}

static void ask(int signo)
{
	(void)signo;
	told("in the handler");
	fflush(stdout);
}

static void once(void)
{
	struct sigaction action = { .sa_handler = ask,
				    .sa_flags = SA_RESETHAND };

	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGTERM, &action, NULL);
	raise(SIGTERM);
	told("after it");
	fflush(stdout);
	raise(SIGTERM);
}

static void once_siginfo(int signo, siginfo_t *info, void *context)
{
	printf("%d %d %d\n", signo, info->si_code, !!context);
	fflush(stdout);
}

static void once_fault(void)
{
	struct sigaction action = { .sa_sigaction = once_siginfo,
				    .sa_flags = SA_RESETHAND | SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	fault();
}

static void once_sysv(void)
{
	__sysv_signal(SIGTERM, mine);
	raise(SIGTERM);
	raise(SIGTERM);
	raise(SIGTERM);
}

const struct way ways_to_handle[] = {
	{ "chain_signal", chain_signal },
	{ "chain_sigaction", chain_sigaction }, { "chain_fault", chain_fault },
	{ "called", called }, { "called_fault", called_fault },
	{ "called_plain", called_plain }, { "over_default", over_default },
	{ "restored", restored }, { "once", once },
	{ "once_fault", once_fault }, { "once_sysv", once_sysv },
	{ NULL, NULL },
};
