// SPDX-License-Identifier: MIT
/*
 * PROFIL_ON_SIGNAL="TERM INT SEGV": where one of these would end the program,
 * the files are written first.
 *
 * Only a signal whose action is the default one gets a handler, which is gone
 * before it runs: the program ends by that signal, as without.
 */
#define _GNU_SOURCE
#include <profil.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* For a handler that comes because the stack is full. */
#define STACK_SIZE	65536

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

/* A fault comes again when the instruction is; the others are sent again. */
static void handler(int signo, siginfo_t *info, void *context)
{
	(void)context;
	_mcleanup();
	if (info->si_code <= 0 || (signo != SIGSEGV && signo != SIGBUS &&
				   signo != SIGFPE && signo != SIGILL))
		raise(signo);
}

static void stack(void)
{
	stack_t old, new = { .ss_size = STACK_SIZE };

	if (sigaltstack(NULL, &old) != 0 || !(old.ss_flags & SS_DISABLE))
		return;
	new.ss_sp = profil_map(STACK_SIZE, 0);
	if (new.ss_sp)
		sigaltstack(&new, NULL);
}

static void install(int signo)
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO | SA_RESETHAND |
						SA_ONSTACK | SA_RESTART };
	struct sigaction old;

	if (sigaction(signo, NULL, &old) != 0 || (old.sa_flags & SA_SIGINFO) ||
	    old.sa_handler != SIG_DFL)
		return;
	sigfillset(&action.sa_mask);
	sigaction(signo, &action, NULL);
}

static size_t without_sig(const char **name, size_t len)
{
	if (len <= 3 || strncmp(*name, "SIG", 3))
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

static int number(const char *name, size_t len)
{
	int i;

	len = without_sig(&name, len);
	for (i = 0; signals[i].name; i++)
		if (strlen(signals[i].name) == len &&
		    !strncmp(signals[i].name, name, len))
			return signals[i].signo;
	return 0;
}

void profil_on_signal(void)
{
	const char *word = secure_getenv("PROFIL_ON_SIGNAL");
	static bool done;
	size_t len;

	if (!word || done)
		return;
	done = true;
	stack();
	for (; *word; word += len) {
		word += strspn(word, " ,");
		len = strcspn(word, " ,");
		if (number(word, len))
			install(number(word, len));
		else if (is_uncatchable(word, len))
			profil_report("PROFIL_ON_SIGNAL: %.*s cannot be caught, by no program",
				      (int)len, word);
		else if (len)
			profil_report("PROFIL_ON_SIGNAL: %.*s: not the name of a signal that ends a program",
				      (int)len, word);
	}
}
