// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an observer may cost: memory, rate, interrupts, and other users.
 */
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "observe_test.h"

#define USER	1000
#define OTHER	2000
#define MANY	1000

FIXTURE(observe_limits) {
	struct observer *o;
};

FIXTURE_SETUP(observe_limits)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
}

FIXTURE_TEARDOWN(observe_limits)
{
	free(self->o);
}

static int limit_memlock(rlim_t bytes)
{
	struct rlimit limit = { bytes, bytes };

	return setrlimit(RLIMIT_MEMLOCK, &limit) || become_user(USER);
}

TEST_F(observe_limits, memlock_of_64_kib_is_enough)
{
	pid_t pid = fork();

	if (!pid) {
		if (limit_memlock(64 << 10) || observe_open(self->o, 1000, 0) ||
		    observe_join(self->o->fd, 0, 0, 0))
			_exit(1);
		burn_ms(300);
		_exit(observe_read(self->o) || !self->o->hot);
	}
	EXPECT_EQ(0, end_of(pid));
}

/* Two at once would not fit, and each is open for a moment only. */
static int open_in_turn(void)
{
	struct profil_observe args = observe_args(1000);
	int i, fd, err = 0, fits;

	for (fits = 0; !err; fits++) {
		fd = open(PROFIL_DEVICE, O_RDWR);
		args.map_size = 0;
		err = observe_fd(fd, &args);
	}
	if (err != ENOMEM || fits < 2)
		return 1;
	/* Room for one. */
	close(fd);
	close(fd - 1);
	for (i = 0; i < 200; i++) {
		fd = open(PROFIL_DEVICE, O_RDWR);
		args.map_size = 0;
		if (observe_fd(fd, &args))
			return 2;
		close(fd);
	}
	return 0;
}

TEST_F(observe_limits, memlock_comes_back_at_close)
{
	pid_t pid = fork();

	if (!pid)
		_exit(limit_memlock(0) ? 3 : open_in_turn());
	EXPECT_EQ(0, end_of(pid));
}

TEST_F(observe_limits, rate_above_the_maximum_is_eperm)
{
	struct profil_info info = { .size = sizeof(info) };
	struct profil_observe args;
	pid_t pid = fork();

	if (!pid) {
		if (become_user(USER) || do_ioctl(PROFIL_IOC_INFO, &info))
			_exit(1);
		args = observe_args(info.max_rate_hz + 1);
		if (info.max_rate_hz != 10000 ||
		    observe_fd(profil_fd(), &args) != EPERM)
			_exit(2);
		args.rate_hz--;
		_exit(observe_fd(profil_fd(), &args));
	}
	EXPECT_EQ(0, end_of(pid));
}

TEST_F(observe_limits, each_observer_has_its_share)
{
	struct observer *fast = calloc(1, sizeof(*fast));
	double seen, due;

	ASSERT_EQ(0, observe_open(self->o, 1000, 0));
	ASSERT_EQ(0, observe_open(fast, 4000, 0));
	ASSERT_EQ(0, observe_join(self->o->fd, 0, 0, 0));
	ASSERT_EQ(0, observe_join(fast->fd, 0, 0, 0));
	burn_ms(1500);
	ASSERT_EQ(0, observe_read(self->o));
	ASSERT_EQ(0, observe_read(fast));
	seen = self->o->sum.counted;
	due = (seen + fast->sum.counted) / 5;
	TH_LOG("%.0f seen, %.0f due", seen, due);
	/* z below 5, of a binomial distribution. */
	EXPECT_GT(25, (seen - due) * (seen - due) / (due * 0.8));
	observe_close(self->o);
	observe_close(fast);
	free(fast);
}

/* Local timer interrupts of a CPU. */
static uint64_t timer_interrupts(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[1000], *at;
	uint64_t nr = 0;

	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, "LOC:");
		if (!at)
			continue;
		for (at += 4; cpu >= 0; cpu--)
			nr = strtoull(at, &at, 10);
		break;
	}
	if (file)
		fclose(file);
	return nr;
}

static void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

TEST_F(observe_limits, cpu_of_others_is_not_interrupted)
{
	uint64_t before[2], after[2];
	pid_t other;
	int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one CPU");
	other = fork();
	if (!other) {
		pin_to(1);
		for (;;)
			hot_a(1000);
	}
	pin_to(0);
	ASSERT_EQ(0, observe_open(self->o, 5000, 0));
	ASSERT_EQ(0, observe_join(self->o->fd, 0, 0, 0));
	burn_ms(100);
	for (i = 0; i < 2; i++)
		before[i] = timer_interrupts(i);
	burn_ms(1000);
	for (i = 0; i < 2; i++)
		after[i] = timer_interrupts(i) - before[i];
	TH_LOG("%lu and %lu interrupts", after[0], after[1]);
	EXPECT_LT(after[1] * 2, after[0]);
	observe_close(self->o);
	kill(other, SIGKILL);
	end_of(other);
}

TEST_F(observe_limits, timer_lapses_beside_others)
{
	uint64_t before, followed, others;
	int done[2];
	pid_t pid;
	char byte;

	pin_to(0);
	ASSERT_EQ(0, pipe(done));
	ASSERT_EQ(0, observe_open(self->o, 5000, 0));
	before = timer_interrupts(0);
	pid = fork();
	if (!pid) {
		if (observe_join(self->o->fd, 0, 0, 0))
			_exit(1);
		burn_ms(1000);
		if (write(done[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	ASSERT_EQ(1, read(done[0], &byte, 1));
	followed = timer_interrupts(0) - before;
	/* It sleeps, and others run in its place. */
	before = timer_interrupts(0);
	burn_ms(1000);
	others = timer_interrupts(0) - before;
	TH_LOG("%lu and %lu interrupts", followed, others);
	EXPECT_LT(others * 2, followed);
	kill(pid, SIGKILL);
	end_of(pid);
	observe_close(self->o);
}

TEST_F(observe_limits, many_followed_leave_others_room)
{
	pid_t *pids = calloc(MANY, sizeof(*pids)), other;
	int i;

	ASSERT_EQ(0, observe_open(self->o, 1000, 0));
	for (i = 0; i < MANY; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			if (observe_join(self->o->fd, 0, 0, 0))
				_exit(1);
			for (;;)
				pause();
		}
	}
	/* The forked children have to run before they are followed. */
	for (i = 0; i < 3000 && self->o->map->followed < MANY; i++) {
		usleep(10000);
		ASSERT_EQ(0, observe_swap(self->o));
	}
	EXPECT_EQ(MANY, self->o->map->followed);
	other = fork();
	if (!other) {
		if (become_user(OTHER) || observe_open(self->o, 1000, 0) ||
		    observe_join(self->o->fd, 0, 0, 0))
			_exit(1);
		burn_ms(300);
		_exit(observe_read(self->o) || !self->o->hot);
	}
	EXPECT_EQ(0, end_of(other));
	for (i = 0; i < MANY; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < MANY; i++)
		waitpid(pids[i], NULL, 0);
	EXPECT_EQ(0, observe_read(self->o));
	EXPECT_EQ(0, self->o->map->followed);
	EXPECT_TRUE(self->o->balanced);
	observe_close(self->o);
	free(pids);
}

static int unload(void)
{
	return syscall(SYS_delete_module, "profil", O_NONBLOCK) ? errno : 0;
}

TEST_F(observe_limits, module_of_an_observer_stays)
{
	ASSERT_EQ(0, observe_open(self->o, 1000, 0));
	ASSERT_EQ(0, observe_join(self->o->fd, 0, 0, 0));
	EXPECT_EQ(EWOULDBLOCK, unload());
	close(self->o->fd);
	/* Its table is still mapped. */
	EXPECT_EQ(EWOULDBLOCK, unload());
	EXPECT_NE(0, self->o->map->nr_cpus);
	munmap(self->o->map, self->o->size);
}

TEST_F(observe_limits, thousand_rounds_leave_nothing)
{
	struct profil_observe args = observe_args(5000);
	int i, fd;
	pid_t pid;

	args.nodes = 64;
	args.images = 4;
	for (i = 0; i < 1000; i++) {
		fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
		args.map_size = 0;
		ASSERT_EQ(0, observe_fd(fd, &args));
		ASSERT_EQ(0, observe_join(fd, 0, 0, 0));
		if (i % 50 == 0) {
			pid = fork();
			if (!pid) {
				hot_a(10000);
				_exit(0);
			}
			ASSERT_EQ(0, end_of(pid));
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
