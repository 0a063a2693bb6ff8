// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says "ready", counts the signals that come within a second after the first,
 * and ends with 40 + their number.
 */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t got;

static void count(int nr)
{
	(void)nr;
	got++;
}

int main(void)
{
	struct timespec wait = { .tv_sec = 1 };
	struct sigaction action = { .sa_handler = count };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (!got)
		pause();
	while (nanosleep(&wait, &wait))
		;
	return 40 + got;
}
