// SPDX-License-Identifier: MIT
/*
 * PROFIL_ON_SIGNAL="TERM INT SEGV": where one of these would end the program,
 * the files are written first.
 *
 * The library has a handler only while the program has the default action.
 * After it the program ends by that signal, as without.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "signal/signals.h"

/*
 * For a handler that comes because the stack is full.  A handler of the program
 * that needs more meets the guard, and not the program's memory.
 */
#define STACK_SIZE	65536
#define GUARD_SIZE	0x100000

static const struct {
	const char *name;
	int signo;
} signals[] = {
	{ "ABRT", SIGABRT }, { "ALRM", SIGALRM }, { "BUS", SIGBUS },
	{ "FPE", SIGFPE }, { "HUP", SIGHUP }, { "ILL", SIGILL },
	{ "INT", SIGINT }, { "PIPE", SIGPIPE }, { "QUIT", SIGQUIT },
	{ "SEGV", SIGSEGV }, { "SYS", SIGSYS }, { "TERM", SIGTERM },
	{ "TRAP", SIGTRAP }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 },
	{ "VTALRM", SIGVTALRM }, { "XCPU", SIGXCPU }, { "XFSZ", SIGXFSZ },
	{ NULL, 0 },
};

/*
 * The process that memory belongs to, 0 in a forked child.  In a child of
 * vfork() it is the parent: the parent's profile goes on.
 */
static pid_t *owner;
static void (*finish_profile)(void);	/* writes the files */

static bool in_vfork_child(pid_t pid)
{
	if (*owner == 0)
		*owner = pid;
	return *owner != pid;
}

static void owner_forked(void)
{
	*owner = getpid();
}

/* Another thread of this process may be there already: it ends both. */
static void save_files(pid_t pid)
{
	static pid_t saving;

	if (in_vfork_child(pid))
		return;
	if (__atomic_exchange_n(&saving, pid, __ATOMIC_ACQ_REL) == pid)
		for (;;)
			pause();
	finish_profile();
}

/* With the siginfo of the first, so that a core dump names the sender. */
static bool send_again(pid_t pid, int signo, siginfo_t *info)
{
	pid_t thread = (pid_t)syscall(SYS_gettid);

	return (info && syscall(SYS_rt_tgsigqueueinfo, pid, thread, signo,
				info) == 0) ||
	       syscall(SYS_tgkill, pid, thread, signo) == 0;
}

static bool is_fault(int signo, const siginfo_t *info)
{
	return info && info->si_code > 0 &&
	       (signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE ||
		signo == SIGILL || signo == SIGTRAP || signo == SIGSYS);
}

/*
 * Where the kernel called, the signal is sent again while it is blocked: it
 * ends the program where it first came, at the return.  The mask of the return
 * must let it through, because sigsuspend() and its kind bring an older mask back.
 *
 * The default action does nothing in the first process of a container but for
 * faults, and these come again.
 */
static void end_program(int signo, siginfo_t *info, ucontext_t *context)
{
	pid_t pid = getpid();
	sigset_t set;

	if (pid == 1 && !is_fault(signo, info)) {
		/* A program that called may wait for the fault to come again. */
		if (!info)
			profil_signal_release(signo);
		return;
	}
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	save_files(pid);
	profil_signal_release(signo);
	if (context)
		sigdelset(&context->uc_sigmask, signo);
	if (pid == 1 || (send_again(pid, signo, info) && info) ||
	    is_fault(signo, info))
		return;
	sigemptyset(&set);
	sigaddset(&set, signo);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	syscall(SYS_exit_group, 128 + signo);
}

static bool give_stack_above(size_t guard)
{
	char *base = profil_map(guard + STACK_SIZE, 0);

	if (!base)
		return false;
	if (guard && mprotect(base, guard, PROT_NONE) == 0) {
		/* mlockall() may have locked the guard as well. */
		munlock(base, guard);
		madvise(base, guard, MADV_DONTNEED);
	}
	profil_altstack_set(base + guard, STACK_SIZE);
	return true;
}

static void give_stack(void)
{
	stack_t old;

	if (sigaltstack(NULL, &old) != 0 || !(old.ss_flags & SS_DISABLE))
		return;
	/* A stack without a guard needs less memory, and the file needs a stack. */
	if (!give_stack_above(GUARD_SIZE))
		give_stack_above(0);
}

static void hold_signal(int signo)
{
	profil_signal_hold(signo, end_program);
	if (signo == SIGSEGV)
		give_stack();
}

static size_t without_sig(const char **name, size_t len)
{
	if (len <= 3 || strncmp(*name, "SIG", 3) != 0)
		return len;
	*name += 3;
	return len - 3;
}

static bool is_uncatchable(const char *name, size_t len)
{
	len = without_sig(&name, len);
	return len == 4 && (!strncmp(name, "KILL", 4) ||
			    !strncmp(name, "STOP", 4));
}

static int signal_number(const char *name, size_t len)
{
	int i;

	len = without_sig(&name, len);
	for (i = 0; signals[i].name; i++)
		if (strlen(signals[i].name) == len &&
		    !strncmp(signals[i].name, name, len))
			return signals[i].signo;
	return 0;
}

void profil_on_signal(void (*finish)(void))
{
	const char *word = secure_getenv("PROFIL_ON_SIGNAL");
	static bool done;
	size_t len;

	if (!word || done)
		return;
	done = true;
	finish_profile = finish;
	owner = profil_map(0, sizeof(*owner));
	if (!owner) {
		profil_report("PROFIL_ON_SIGNAL: %s", profil_error(errno));
		return;
	}
	*owner = getpid();
	pthread_atfork(NULL, NULL, owner_forked);
	for (; *word; word += len) {
		word += strspn(word, " ,");
		len = strcspn(word, " ,");
		if (signal_number(word, len))
			hold_signal(signal_number(word, len));
		else if (is_uncatchable(word, len))
			profil_report("PROFIL_ON_SIGNAL: %.*s cannot be caught, by no program",
				      (int)len, word);
		else if (len)
			profil_report("PROFIL_ON_SIGNAL: %.*s: not the name of a signal that ends a program",
				      (int)len, word);
	}
}
