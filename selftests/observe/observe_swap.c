// SPDX-License-Identifier: GPL-2.0-only
/* PROFIL_IOC_SWAP, and which half has what. */
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

TEST_HARNESS_MAIN
