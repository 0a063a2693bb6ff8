// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes 1000 calls, and then says what it is told of the actions of signals;
 * most ways end by a signal that the library holds, if it is told to:
 *
 * actions look		every call that sets an action, each flag, each mask
 * actions WAY		see ways below
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void handler_fn(int signo);

/* Headers do not have all of these, or as something else. */
handler_fn *bsd_signal(int signo, handler_fn *handler);
handler_fn *__sysv_signal(int signo, handler_fn *handler);
#ifdef __GLIBC__
handler_fn *ssignal(int signo, handler_fn *handler);
int __sigaction(int signo, const struct sigaction *action,
		struct sigaction *old);
#endif

static struct sigaction was;

static void counted(void)
{
	__asm__ volatile ("");
}

static void say(const char *what)
{
	if (write(1, what, strlen(what)) < 0)
		_exit(8);
}

static void mine(int signo)
{
	(void)signo;
	say("mine\n");
}

static void other(int signo)
{
	(void)signo;
	say("other\n");
}

static const char *name(handler_fn *handler)
{
	return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" :
	       handler == SIG_ERR ? "error" : handler == SIG_HOLD ? "held" :
	       handler == mine ? "mine" : handler == other ? "other" :
	       "unknown";
}

static void told(const char *what)
{
	struct sigaction now;
	unsigned long long mask;

	memset(&now, 0, sizeof(now));
	if (sigaction(SIGTERM, NULL, &now) != 0)
		_exit(8);
	memcpy(&mask, &now.sa_mask, 8);
	printf("%s: %s, flags %x, mask %llx, restorer %d\n", what,
	       name(now.sa_handler), now.sa_flags, mask, !!now.sa_restorer);
}

static void set(const char *what, handler_fn *handler, int flags, int mask)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	if (mask)
		sigaddset(&action.sa_mask, mask);
	errno = 7;
	if (sigaction(SIGTERM, &action, &old) != 0)
		_exit(8);
	printf("%s, was %s, flags %x, errno %d\n", what, name(old.sa_handler),
	       old.sa_flags, errno);
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
	printf("was %s\n", name(call(SIGTERM, mine)));
	told("handler");
	printf("was %s\n", name(call(SIGTERM, SIG_DFL)));
	told("default");
	printf("was %s\n", name(call(SIGTERM, SIG_IGN)));
	told("ignored");
	printf("was %s\n", name(call(SIGTERM, SIG_DFL)));
	told("default again");
	errno = 0;
	printf("bad: %s\n", name(call(99, SIG_DFL)));
	printf("errno %d\n", errno);
	siginterrupt(SIGTERM, 1);
	told("interrupts");
	printf("was %s\n", name(call(SIGTERM, SIG_DFL)));
	told("and default");
	siginterrupt(SIGTERM, 0);
	told("restarts");
}

static void look(void)
{
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
	printf("hold: %s\n", name(sigset(SIGTERM, SIG_HOLD)));
	printf("hold: %s\n", name(sigset(SIGTERM, SIG_HOLD)));
	printf("default: %s\n", name(sigset(SIGTERM, SIG_DFL)));
	printf("default: %s\n", name(sigset(SIGTERM, SIG_DFL)));
	sigignore(SIGTERM);
	told("sigignore");
#ifdef __GLIBC__
	printf("ssignal\n");
	look_each(ssignal);
#ifndef STATIC
	__sigaction(SIGTERM, NULL, &was);
	printf("__sigaction: %s\n", name(was.sa_handler));
#endif
	printf("signal: %s, errno %d\n", name(signal(SIGTERM, SIG_ERR)), errno);
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

static void fault(void)
{
	*(volatile int *)8 = 0;
}

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

/* The first to come ends it, before the other's handler runs. */
static void both_pending(void)
{
	sigset_t both, old;

	signal(SIGTERM, mine);
	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, &old);
	raise(SIGTERM);
	raise(SIGINT);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void waits(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	sigwait(&set, &signo);
	printf("got %d\n", signo);
	fflush(stdout);
	raise(SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static pthread_barrier_t start;

static void *thread_raises(void *arg)
{
	pthread_barrier_wait(&start);
	raise(*(int *)arg);
	for (;;)
		pause();
	return NULL;
}

/* All at once: one ends the process, the others do not end that half-way. */
static void threads(void)
{
	static int signo = SIGTERM;
	pthread_t thread;
	int i;

	pthread_barrier_init(&start, NULL, 4);
	for (i = 0; i < 4; i++)
		pthread_create(&thread, NULL, thread_raises, &signo);
	for (;;)
		pause();
}

/* A child in the parent's memory: what it does is not the parent's. */
static void vforked(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL,
				    .sa_flags = SA_NOCLDSTOP };
	int status;
	pid_t pid;

	told("before");
	pid = vfork();
	if (!pid) {
		sigaction(SIGTERM, &action, NULL);
		kill(getpid(), SIGTERM);
		_exit(5);
	}
	waitpid(pid, &status, 0);
	printf("child %x\n", status);
	told("after");
	fflush(stdout);
	counted();
	kill(getpid(), SIGTERM);
}

static void forked(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		counted();
		told("in the child");
		fflush(stdout);
		raise(SIGTERM);
	}
	waitpid(pid, &status, 0);
	printf("child %x\n", status);
	fflush(stdout);
	raise(SIGTERM);
}

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

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "look", look }, { "chain_signal", chain_signal },
	{ "chain_sigaction", chain_sigaction }, { "chain_fault", chain_fault },
	{ "called", called }, { "called_fault", called_fault },
	{ "called_plain", called_plain }, { "over_default", over_default },
	{ "restored", restored }, { "once", once },
	{ "once_fault", once_fault }, { "once_sysv", once_sysv },
	{ "both_pending", both_pending }, { "waits", waits },
	{ "threads", threads }, { "vforked", vforked }, { "forked", forked },
	{ "altstack", altstack }, { "onstack", onstack },
	{ "fault", fault }, { "killed", killed }, { "queued", queued },
	{ "general_protection", general_protection },
	{ "breakpoint", breakpoint }, { "abort", by_abort },
	{ NULL, NULL },
};

static int run(const char *way)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		counted();
	for (i = 0; ways[i].name; i++)
		if (!strcmp(way, ways[i].name))
			ways[i].run();
	printf("not ended\n");
	fflush(stdout);
	_exit(9);
}

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
static int traced(const char *way)
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
		run(way);
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

int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	setbuf(stdout, NULL);
	if (argc == 3 && !strcmp(argv[1], "traced"))
		return traced(argv[2]);
	return argc == 2 ? run(argv[1]) : 2;
}
