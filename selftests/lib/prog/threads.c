// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eight threads, and a signal handler on top of them, call the same functions
 * as fast as they can; with an argument, while moncontrol and _mcleanup are
 * called as well.
 */
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/time.h>

#define THREADS	8
#define CALLS	200000
#define TOGGLES	10	/* each arms or disarms the hook, which is slow */

static unsigned long handled;
static bool toggling;

static void shared(void)
{
	__asm__ volatile ("");
}

static void other(void)
{
	__asm__ volatile ("");
}

static void handler_work(void)
{
	__asm__ volatile ("");
}

/* The kernel calls this one, so it stands in no arc itself. */
static void handler(int signo)
{
	unsigned long before = __atomic_load_n(&handled, __ATOMIC_RELAXED);

	(void)signo;
	handler_work();
	shared();
	if (toggling && before < TOGGLES)
		moncontrol(before % 2);
	__atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

static void work(void)
{
	int i;

	for (i = 0; i < CALLS; i++) {
		shared();
		if (i % 2)
			other();
	}
}

static void *thread(void *arg)
{
	work();
	return arg;
}

static void *toggle(void *arg)
{
	int i;

	for (i = 0; i < TOGGLES; i++)
		moncontrol(i % 2);
	_mcleanup();
	moncontrol(1);
	return arg;
}

int main(int argc, char **argv)
{
	struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_RESTART };
	pthread_t threads[THREADS], toggles[2];
	int i;

	(void)argv;
	toggling = argc > 1;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, NULL) != 0)
			return 1;
	for (i = 0; toggling && i < 2; i++)
		if (pthread_create(&toggles[i], NULL, toggle, NULL) != 0)
			return 1;
	for (i = 0; toggling && i < 2; i++)
		pthread_join(toggles[i], NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	timer.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	signal(SIGALRM, SIG_IGN);
	printf("shared %lu\n", (unsigned long)THREADS * CALLS + handled);
	printf("other %lu\n", (unsigned long)THREADS * CALLS / 2);
	printf("work %d\n", THREADS);
	if (handled)
		printf("handler_work %lu\n", handled);
	return 0;
}
