// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C library's handler of SIGPROF runs after its profile has ended, as it
 * does in a thread that had the signal before another ended the profile.
 */
#include <profil.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* At a scale of 2, 64 KiB of text each: 4 GiB, with raise() in the midst. */
#define BINS	65536
#define BELOW	0x40000000ul

static unsigned short bins[BINS], before[BINS];
static struct sigaction of_libc;

static void late(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	of_libc.sa_sigaction(SIGPROF, info, context);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = late,
				    .sa_flags = SA_SIGINFO };
	struct sigaction ended;

	if (profil(bins, sizeof(bins), (size_t)raise - BELOW, 2) != 0 ||
	    sigaction(SIGPROF, NULL, &of_libc) != 0 ||
	    sigaction(SIGUSR1, &action, NULL) != 0)
		return 1;
	printf("handler %s\n", of_libc.sa_handler == SIG_DFL ? "none" : "set");
	raise(SIGUSR1);
	profil(bins, 0, 0, 0);
	printf("bins %s\n",
	       memcmp(before, bins, sizeof(bins)) ? "changed" : "the same");
	memcpy(before, bins, sizeof(bins));
	raise(SIGUSR1);
	sigaction(SIGPROF, NULL, &ended);
	printf("handler %s\n", ended.sa_handler == SIG_DFL ? "none" : "set");
	printf("bins %s\n",
	       memcmp(before, bins, sizeof(bins)) ? "changed" : "the same");
	return 0;
}
