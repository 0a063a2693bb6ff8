// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program has of SIGPROF and its timer, after profiles that the C library
 * took by both.
 */
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define CYCLES	50

static unsigned short bins[4096];
static volatile sig_atomic_t ending, started;

static void cycle(void)
{
	profil(bins, sizeof(bins), 0x1000, 0x10000);
	ending = 1;
	profil(bins, 0, 0, 0);
	ending = 0;
}

static long timer_us(void)
{
	struct itimerval now;

	getitimer(ITIMER_PROF, &now);
	return now.it_value.tv_sec * 1000000L + now.it_value.tv_usec;
}

/* Linux adds a tick to a timer each time that it is set. */
static long set_us(int times)
{
	struct itimerval own = { { 0, 200000 }, { 1, 0 } };
	long first = 0;
	int i;

	for (i = 0; i < times; i++) {
		setitimer(ITIMER_PROF, &own, NULL);
		getitimer(ITIMER_PROF, &own);
		if (i == 0)
			first = timer_us();
	}
	return timer_us() - first;
}

static const char *check_timer(void)
{
	long by_set = set_us(CYCLES + 1), before;
	int i;

	signal(SIGPROF, SIG_IGN);
	set_us(1);
	before = timer_us();
	for (i = 0; i < CYCLES; i++)
		cycle();
	return timer_us() - before <= by_set * 3 / 2 ? "kept" : "late";
}

static void *cycles(void *arg)
{
	int i;

	for (i = 0; i < 2000; i++)
		cycle();
	return arg;
}

/* Two threads begin and end profiles at the same time. */
static const char *check_threads(void)
{
	struct itimerval off = {};
	struct sigaction action;
	pthread_t thread;

	signal(SIGPROF, SIG_DFL);
	setitimer(ITIMER_PROF, &off, NULL);
	if (pthread_create(&thread, NULL, cycles, NULL) != 0)
		return "none";
	cycles(NULL);
	pthread_join(thread, NULL);
	cycle();
	sigaction(SIGPROF, NULL, &action);
	return action.sa_handler == SIG_DFL && !timer_us() ? "kept" : "lost";
}

static void start(int signo)
{
	(void)signo;
	if (!ending)
		return;
	started = 1;
	profil(bins, sizeof(bins), 0x1000, 0x10000);
}

/* Another profile begins in a handler while one ends: 50 such meetings. */
static const char *check_handler(void)
{
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, off = {};
	struct sigaction action;
	int i, meetings = 0;

	signal(SIGPROF, SIG_DFL);
	signal(SIGALRM, start);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 200000 && meetings < CYCLES; i++) {
		cycle();
		meetings += started;
		started = 0;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	cycle();
	sigaction(SIGPROF, NULL, &action);
	if (meetings < CYCLES)
		return "not met";
	return action.sa_handler == SIG_DFL ? "kept" : "lost";
}

int main(void)
{
	printf("timer %s\n", check_timer());
	printf("threads %s\n", check_threads());
	printf("action %s\n", check_handler());
	return 0;
}
