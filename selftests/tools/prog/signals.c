// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says "ready", and "continued" after a stop; counts the signals that come within
 * a second after the first, and ends with 40 + their number.
 */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t got, continued;

static void count(int nr)
{
	(void)nr;
	got++;
}

static void go_on(int nr)
{
	(void)nr;
	continued = 1;
}

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

int main(void)
{
	struct timespec wait = { .tv_sec = 1 };
	struct sigaction action = { .sa_handler = count };
	struct sigaction on = { .sa_handler = go_on };
	sigset_t all, before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGCONT, &on, NULL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	say("ready");
	while (!got) {
		sigsuspend(&before);
		if (continued)
			say("continued");
		continued = 0;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	while (nanosleep(&wait, &wait))
		;
	return 40 + got;
}
