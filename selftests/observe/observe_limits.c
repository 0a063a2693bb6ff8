// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an observer may cost: memory, rate, interrupts, and other users.
 */
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "machine_test.h"
#include "observe_test.h"

#define USER	1000
#define GROUP	"/sys/fs/cgroup/profil_observe"

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

/* How often a limit of the cgroup was met: not once for a table like this. */
static int open_huge(const char *group)
{
	struct profil_observe args = observe_args(1000);
	char name[80], text[200] = "";
	int fd;

	snprintf(name, sizeof(name), "%s/cgroup.procs", group);
	if (write_file(name, "0") || limit_memlock(0))
		return 1;
	args.nodes = 65536;
	args.images = 4096;
	if (observe_fd(profil_fd(), &args) != ENOMEM)
		return 2;
	snprintf(name, sizeof(name), "%s/memory.events", group);
	fd = open(name, O_RDONLY);
	if (read(fd, text, sizeof(text) - 1) <= 0 || !strstr(text, "\nmax "))
		return 3;
	return strncmp(strstr(text, "\nmax "), "\nmax 0\n", 7) ? 4 : 0;
}

TEST_F(observe_limits, table_above_memlock_takes_no_memory)
{
	const char *reason = group_create(GROUP);
	pid_t pid;

	if (reason)
		SKIP(return, "%s", reason);
	EXPECT_EQ(0, write_file(GROUP "/memory.max", "8M"));
	pid = fork();
	if (!pid)
		_exit(open_huge(GROUP));
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(0, rmdir(GROUP));
}

/* How many observers fit, of a user that may lock no memory. */
static int observers_that_fit(void)
{
	struct profil_observe args = observe_args(1000);
	pid_t pid = fork();
	int nr;

	if (pid)
		return end_of(pid) >> 8;
	if (limit_memlock(0))
		_exit(255);
	for (nr = 0; !observe_fd(open(PROFIL_DEVICE, O_RDWR), &args); nr++)
		args.map_size = 0;
	_exit(nr);
}

/* The end comes between one part of the memory and the next. */
TEST_F(observe_limits, killed_observe_returns_its_memlock_once)
{
	struct profil_observe args = observe_args(1000);
	const char *reason = group_create(GROUP);
	int fit = observers_that_fit(), kib, killed = 0;
	char max[20];
	pid_t pid;

	if (reason)
		SKIP(return, "%s", reason);
	args.depth = 255;
	for (kib = 500; kib < 1500; kib += 20) {
		snprintf(max, sizeof(max), "%dK", kib);
		EXPECT_EQ(0, write_file(GROUP "/memory.max", max));
		pid = fork();
		if (!pid) {
			if (write_file(GROUP "/cgroup.procs", "0") ||
			    setgid(USER) || setuid(USER))
				_exit(1);
			_exit(observe_fd(profil_fd(), &args) ? 2 : 0);
		}
		killed += end_of(pid) == SIGKILL;
	}
	TH_LOG("%d killed, %d observers fit", killed, fit);
	EXPECT_LT(0, killed);
	/* The memory itself goes a grace period later. */
	EXPECT_EQ(fit, observers_that_fit());
	EXPECT_EQ(0, rmdir(GROUP));
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

/* Local timer interrupts of a CPU: x86's name of the line, and arm64's. */
static uint64_t timer_interrupts(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[1000], *at;
	uint64_t nr = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "LOC:") && !strstr(line, "arch_timer"))
			continue;
		at = strchr(line, ':') + 1;
		for (; cpu >= 0; cpu--)
			nr = strtoull(at, &at, 10);
		break;
	}
	if (file)
		fclose(file);
	return nr;
}

TEST_F(observe_limits, cpu_of_others_is_not_interrupted)
{
	struct profil_info info = { .size = sizeof(info) };
	uint64_t before[2], after[2], ticks;
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
	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_INFO, &info));
	ticks = monotonic_ns();
	for (i = 0; i < 2; i++)
		before[i] = timer_interrupts(i);
	burn_ms(1000);
	for (i = 0; i < 2; i++)
		after[i] = timer_interrupts(i) - before[i];
	ticks = (monotonic_ns() - ticks) * info.hz / 1000000000;
	TH_LOG("%lu and %lu interrupts, %lu ticks", after[0], after[1], ticks);
	EXPECT_LT(0, after[0]);
	/* Other timers are few.  On a busy machine ticks and samples are lost. */
	if (after[1] > ticks + ticks / 4 + 50)
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
