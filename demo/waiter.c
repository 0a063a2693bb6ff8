// SPDX-License-Identifier: GPL-2.0-only
/* A thread computes while main() waits for it in poll().  Counts the samples in
 * the thread, and how often the wait failed with EINTR.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define BINS	8192

extern char __executable_start;
static unsigned short bins[BINS];
static int done[2];

static void *work(void *unused)
{
	for (volatile int i = 0; i < 200000000; i++)
		;
	close(done[1]);
	return unused;
}

int main(void)
{
	struct pollfd wait = { .events = POLLIN };
	unsigned int samples = 0, eintr = 0;
	sigset_t all, old;
	pthread_t thread;

	if (pipe(done))
		return 1;
	wait.fd = done[0];
	profil(bins, sizeof(bins), (size_t)&__executable_start, 0x10000);

	/* Workers with all signals blocked: main() shall get them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	pthread_sigmask(SIG_SETMASK, &old, NULL);

	while (poll(&wait, 1, -1) == -1 && errno == EINTR)
		eintr++;
	pthread_join(thread, NULL);
	profil(bins, 0, 0, 0);

	for (size_t i = 0; i < BINS; i++)
		samples += bins[i];
	printf("%u %u\n", samples, eintr);
	return 0;
}
