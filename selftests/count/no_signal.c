// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "Counting": no signal, no EINTR, no timer; and a program that
 * blocks or ignores SIGPROF is sampled all the same.
 */
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "profil_test.h"

FIXTURE(no_signal) {
	char *buffer;
};

FIXTURE_SETUP(no_signal)
{
	self->buffer = map_buffer(PAGE);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
}

FIXTURE_TEARDOWN(no_signal)
{
	stop();
	munmap(self->buffer, PAGE);
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	signals++;
}

TEST_F(no_signal, sleeping_calls_see_no_eintr_no_signal)
{
	struct timespec nap = { .tv_nsec = 20000000 };
	int number, interrupted = 0;
	pthread_t thread;

	for (number = 1; number < NSIG; number++)
		if (number != SIGALRM && number != SIGCHLD)
			signal(number, count_signal);
	burners_start(&thread, 1);
	while (query().books.seen < 300) {
		if (nanosleep(&nap, NULL) && errno == EINTR)
			interrupted++;
		if (poll(NULL, 0, 20) < 0 && errno == EINTR)
			interrupted++;
	}
	burners_end(&thread, 1);
	EXPECT_EQ(0, signals);
	EXPECT_EQ(0, interrupted);
}

/* The first SET in an address space waits for locks, so use a new child. */
TEST_F(no_signal, handled_signal_does_not_interrupt_set)
{
	struct sigaction action = {
		.sa_handler = count_signal,
		.sa_flags = SA_RESTART,
	};
	int i;

	sigaction(SIGUSR1, &action, NULL);
	stop();
	for (i = 0; i < 100; i++)
		EXPECT_CHILD({
			pid_t me = getpid();
			pid_t storm = fork();
			int err, n;

			if (!storm) {
				for (n = 0; n < 20000; n++)
					kill(me, SIGUSR1);
				_exit(0);
			}
			while (!signals)
				hot_a(1000);
			err = set_region(all_region(self->buffer, 8));
			kill(storm, SIGKILL);
			while (waitpid(storm, NULL, 0) < 0)
				;
			_exit(err);
		});
}

TEST_F(no_signal, no_timer_is_used)
{
	struct itimerval timer;
	int which;

	burn(2);
	for (which = ITIMER_VIRTUAL; which <= ITIMER_PROF; which++) {
		ASSERT_EQ(0, getitimer(which, &timer));
		EXPECT_EQ(0, timer.it_value.tv_sec);
		EXPECT_EQ(0, timer.it_value.tv_usec);
		EXPECT_EQ(0, timer.it_interval.tv_usec);
	}
}

TEST_F(no_signal, blocked_or_ignored_signal_is_no_change)
{
	struct profil_status status;
	sigset_t all;

	signal(SIGPROF, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	burn(50);
	status = stop();
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, counter(self->buffer, 8, 0));
	EXPECT_LE(50, status.books.binned);
}

TEST_HARNESS_MAIN
