// SPDX-License-Identifier: GPL-2.0-only
/* The ways to end by a signal, and what a tracer sees of such an end. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions.h"

void fault(void)
{
	*(volatile int *)8 = 0;
}

static void killed(void)
{
	kill(getppid(), 0);
	kill(getpid(), SIGSEGV);
}

static void queued(void)
{
	union sigval value = { .sival_int = 77 };

	sigqueue(getpid(), SIGQUIT, value);
}

static void general_protection(void)
{
#if defined(__x86_64__)
	*(volatile int *)0x8000000000000000ul = 0;
#else
	fault();
#endif
}

static void breakpoint(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile ("int3");
#else
	raise(SIGTRAP);
#endif
}

static void by_abort(void)
{
	abort();
}

const struct way ways_to_end[] = {
	{ "fault", fault }, { "killed", killed }, { "queued", queued },
	{ "general_protection", general_protection },
	{ "breakpoint", breakpoint }, { "abort", by_abort },
	{ NULL, NULL },
};

#if defined(__x86_64__)
#define PC	16
#define SP	19
#elif defined(__i386__)
#define PC	12
#define SP	15
#elif defined(__aarch64__)
#define PC	32
#define SP	31
#endif

/* As a core dump has it: what the kernel was about to end it by, and where. */
int run_traced(const char *way)
{
	struct {
		unsigned long words[64];
	} registers = { { 0 } };
	struct iovec vector = { &registers, sizeof(registers) };
	pid_t pid = fork();
	siginfo_t info;
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		run_way(way);
	}
	memset(&info, 0, sizeof(info));
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		ptrace(PTRACE_GETSIGINFO, pid, NULL, &info);
		ptrace(PTRACE_GETREGSET, pid, (void *)1, &vector);
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)WSTOPSIG(status));
	}
	printf("status %x, signal %d, code %d, from %d\n", status,
	       info.si_signo, info.si_code, info.si_code <= 0 &&
	       info.si_pid == pid);
	if (info.si_code > 0)
		printf("address %p\n", info.si_addr);
	if (info.si_code == SI_QUEUE)
		printf("value %d\n", info.si_int);
	printf("at %lx, stack %lx\n", registers.words[PC],
	       registers.words[SP]);
	return 0;
}
