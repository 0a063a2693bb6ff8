// SPDX-License-Identifier: GPL-2.0-only
/*
 * Observers beside all that comes and goes: threads, forks, execs, exits, JOINs
 * and SWAPs at once.  The books balance, and nothing is left.
 */
#include <sched.h>
#include <time.h>

#include "observe_test.h"

#define SECONDS	10

FIXTURE(observe_storm) {
	struct observer *o[2];
};

FIXTURE_SETUP(observe_storm)
{
	int i;

	NEED_FINE_TIMERS();
	for (i = 0; i < 2; i++) {
		self->o[i] = calloc(1, sizeof(*self->o[i]));
		ASSERT_NE(NULL, self->o[i]);
		ASSERT_EQ(0, observe_open(self->o[i], i ? 3000 : 1000, 0));
	}
}

FIXTURE_TEARDOWN(observe_storm)
{
	int i;

	for (i = 0; i < 2; i++) {
		observe_close(self->o[i]);
		free(self->o[i]);
	}
}

static bool is_over(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begin->tv_sec >= SECONDS;
}

static void *spin(void *unused)
{
	hot_a(300000);
	sched_yield();
	hot_b(300000);
	return NULL;
}

/* One life: threads, a forked child, a vforked one that executes a program. */
static void live(void)
{
	static pthread_t threads[8];
	static int i, nr;

	for (i = 0; i < 8; i++)
		nr += !pthread_create(&threads[nr], NULL, spin, NULL);
	if (!fork()) {
		spin(NULL);
		_exit(0);
	}
	if (!vfork()) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
}

static void run_lives(struct observer **o, const struct timespec *begin)
{
	int i;

	for (i = 0; i < 2; i++)
		if (observe_join(o[i]->fd, 0, 0, 0))
			_exit(1);
	while (!is_over(begin)) {
		if (!fork()) {
			live();
			_exit(0);
		}
		wait(NULL);
	}
	_exit(0);
}

TEST_F(observe_storm, books_balance_beside_lives_of_all_kinds)
{
	struct timespec begin;
	int i, status, left = 4, bad = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < 4; i++)
		if (!fork())
			run_lives(self->o, &begin);
	while (left) {
		for (i = 0; i < 2; i++)
			EXPECT_EQ(0, observe_swap(self->o[i]));
		usleep(50000);
		while (left && waitpid(-1, &status, WNOHANG) > 0) {
			left--;
			bad += !!status;
		}
	}
	EXPECT_EQ(0, bad);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, observe_read(self->o[i]));
		EXPECT_TRUE(self->o[i]->balanced);
		EXPECT_LT(0, self->o[i]->sum.counted);
		EXPECT_EQ(0, self->o[i]->map->followed);
		TH_LOG("%llu seen, %llu counted, %llu lost, %llu unplaced",
		       self->o[i]->sum.seen, self->o[i]->sum.counted,
		       self->o[i]->sum.lost, self->o[i]->sum.unplaced);
	}
}

/* JOINs of others while these end, execute and fork. */
TEST_F(observe_storm, joins_meet_ends)
{
	struct timespec begin;
	struct observer *o = self->o[0];
	unsigned long joined = 0, tries = 0;
	pid_t pids[4] = {};
	int i;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (!is_over(&begin)) {
		i = tries++ % 4;
		if (pids[i])
			waitpid(pids[i], NULL, 0);
		pids[i] = fork();
		if (!pids[i]) {
			hot_a(tries % 64 * 1000);
			if (tries % 3 == 0)
				execl("/bin/true", "true", NULL);
			if (tries % 3 == 1 && !fork())
				hot_b(10000);
			_exit(0);
		}
		joined += !observe_join_pid(o->fd, pids[i]);
		if (tries % 64 == 0)
			EXPECT_EQ(0, observe_swap(o));
	}
	for (i = 0; i < 4; i++)
		waitpid(pids[i], NULL, 0);
	EXPECT_LT(0, joined);
	EXPECT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	TH_LOG("%lu of %lu joined", joined, tries);
}

static void fork_and_execute(void)
{
	for (;;) {
		if (!fork()) {
			hot_a(1000);
			_exit(0);
		}
		if (!vfork()) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		while (wait(NULL) > 0)
			;
	}
}

/*
 * An observer that is closed while what it follows forks, executes and ends: for
 * ROUNDS, from the environment, if they take longer than the other tests.
 */
TEST_F(observe_storm, closes_meet_forks)
{
	struct profil_observe args = observe_args(10000);
	const char *wanted = getenv("ROUNDS");
	struct timespec begin;
	unsigned long rounds = 0, least = wanted ? strtoul(wanted, NULL, 10) : 0;
	pid_t pid = fork();
	int fd;

	if (!pid)
		fork_and_execute();
	args.images = 4;
	args.nodes = 64;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (; !is_over(&begin) || rounds < least; rounds++) {
		fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
		args.map_size = 0;
		ASSERT_EQ(0, observe_fd(fd, &args));
		EXPECT_EQ(0, observe_join_pid(fd, pid));
		if (rounds % 2)
			sched_yield();
		close(fd);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_LT(10, rounds);
	TH_LOG("%lu rounds", rounds);
}

TEST_HARNESS_MAIN
