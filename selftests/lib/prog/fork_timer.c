// SPDX-License-Identifier: GPL-2.0-only
/* A timer of the program's own, a profile, and a forked child that ends its own. */
#include <profil.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned short bins[1000];

static long seconds_left(void)
{
	struct itimerval now;

	profil(NULL, 0, 0, 0);
	getitimer(ITIMER_PROF, &now);
	return now.it_value.tv_sec + !!now.it_value.tv_usec;
}

int main(void)
{
	const struct itimerval long_one = { .it_value = { 5000, 0 } };
	pid_t pid;

	setitimer(ITIMER_PROF, &long_one, NULL);
	if (profil(bins, sizeof(bins), (size_t)main, 0x8000))
		return 1;
	pid = fork();
	if (pid == 0) {
		printf("child: %s\n", seconds_left() ? "a timer" : "none");
		return 0;
	}
	waitpid(pid, NULL, 0);
	printf("parent: %s\n", seconds_left() > 4000 ? "its own" : "another");
	return 0;
}
