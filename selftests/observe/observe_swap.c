// SPDX-License-Identifier: GPL-2.0-only
/* PROFIL_IOC_SWAP, and which half has what. */
#include "machine_test.h"
#include "observe_test.h"

FIXTURE(observe_swap) {
	struct observer *o;
};

FIXTURE_SETUP(observe_swap)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
	ASSERT_EQ(0, observe_open(self->o, 3000, 0));
}

FIXTURE_TEARDOWN(observe_swap)
{
	observe_close(self->o);
	free(self->o);
}

#define SLEEPERS	100
#define ENDS		50

/* It has joined, and lives for some samples, or as long as its parent: -1 if not. */
static pid_t start_one(const struct observer *o, const int *said, bool sleeps)
{
	pid_t pid = fork();
	char err;

	if (pid < 0)
		return -1;
	if (pid)
		return read(said[0], &err, 1) == 1 && !err ? pid : -1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	err = observe_join(o->fd, 0, 0, 0);
	if (write(said[1], &err, 1) != 1 || err)
		_exit(1);
	while (sleeps)
		pause();
	burn_ms(5);
	_exit(0);
}

/*
 * A tool stops when followed is 0, so the end of what SWAP does not count is in
 * what became quiet.  SWAP sums the CPU time of many meanwhile.
 */
TEST_F(observe_swap, swap_has_ends_of_what_it_does_not_count)
{
	struct observer *o = self->o;
	pid_t sleepers[SLEEPERS], pid;
	uint32_t i, told, late = 0;
	int said[2];

	ASSERT_EQ(0, pipe(said));
	for (i = 0; i < SLEEPERS; i++) {
		sleepers[i] = start_one(o, said, true);
		ASSERT_LT(0, sleepers[i]);
	}
	for (i = 0; i < ENDS; i++) {
		pid = start_one(o, said, false);
		ASSERT_LT(0, pid);
		do {
			ASSERT_EQ(0, observe_swap(o));
		} while (o->map->followed > SLEEPERS);
		told = o->nr_ends;
		EXPECT_EQ(0, end_of(pid));
		ASSERT_EQ(0, observe_read(o));
		late += o->nr_ends - told;
	}
	EXPECT_EQ(0, late);
	EXPECT_LT(ENDS / 2, o->nr_ends);
	for (i = 0; i < SLEEPERS; i++)
		kill(sleepers[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

#define SWAPS	500

/* Samples of it come from CPU 1 and then from CPU 0 alone. */
static void move(int told)
{
	pin_to(1);
	burn_ms(20);
	pin_to(0);
	burn_ms(20);
	if (write(told, "", 1) != 1)
		_exit(1);
	for (;;)
		burn_ms(20);
}

/* A CPU that a process has left is not interrupted for as long as it lives. */
TEST_F(observe_swap, swap_interrupts_only_where_samples_are)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	int told[2], i;
	pid_t pid, busy;
	char byte;
	long calls;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is one CPU");
	ASSERT_EQ(0, pipe(told));
	pin_to(0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (observe_join(self->o->fd, 0, 0, 0))
			_exit(1);
		move(told[1]);
	}
	busy = keep_cpu_1_busy();
	ASSERT_EQ(1, read(told[0], &byte, 1));
	ASSERT_EQ(0, observe_read(self->o));
	calls = function_calls(1);
	for (i = 0; i < SWAPS; i++)
		ASSERT_EQ(0, ioctl(self->o->fd, PROFIL_IOC_SWAP, &swap));
	calls = function_calls(1) - calls;
	TH_LOG("%ld interrupts of another CPU in %d SWAPs", calls, SWAPS);
	EXPECT_GT(SWAPS / 5, calls);
	kill(pid, SIGKILL);
	kill(busy, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
	EXPECT_EQ(SIGKILL, end_of(busy));
}

TEST_HARNESS_MAIN
