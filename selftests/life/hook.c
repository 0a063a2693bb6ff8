// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "Lifetime": the hooks are in while a profile is on, and out with
 * the last; the module can't be unloaded before that.
 */
#include <sys/syscall.h>

#include "hook_test.h"

FIXTURE(hook) {
	char *buffer;
};

FIXTURE_SETUP(hook)
{
	self->buffer = map_buffer(PAGE);
}

FIXTURE_TEARDOWN(hook)
{
	stop();
	munmap(self->buffer, PAGE);
}

TEST_F(hook, in_with_first_profile_out_with_last)
{
	EXPECT_FALSE(armed_after_a_while());
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	EXPECT_TRUE(armed());
	EXPECT_CHILD(burn(1));
	EXPECT_TRUE(armed());
	stop();
	EXPECT_FALSE(armed_after_a_while());
}

TEST_F(hook, stays_in_for_child_after_parents_profile)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	pid = fork();
	if (!pid)
		for (;;)
			hot_a(10000);
	ASSERT_LT(0, pid);
	stop();
	usleep(200000);
	EXPECT_TRUE(armed());
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_FALSE(armed_after_a_while());
}

TEST_F(hook, is_out_when_the_last_buffer_is_lost)
{
	int i;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	ASSERT_EQ(0, munmap(self->buffer, PAGE));
	for (i = 0; i < 2000 && query().state == PROFIL_STATE_ON; i++)
		hot_a(100000);
	EXPECT_FALSE(armed_after_a_while());
}

TEST_F(hook, out_after_last_process_killed)
{
	int fds[2], status;
	char c = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	pid = fork();
	if (!pid) {
		if (set_region(all_region(self->buffer, 8)))
			_exit(1);
		write(fds[1], &c, 1);
		for (;;)
			hot_a(10000);
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(1, read(fds[0], &c, 1));
	EXPECT_TRUE(armed());
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_FALSE(armed_after_a_while());
}

#define TRIES	20
#define HOLDER	1	/* on its CPU, not on that of the caller */

/* A process that sets a profile, and keeps it. */
static pid_t fork_setter(char *buffer, int policy)
{
	struct sched_param param = { 0 };
	pid_t pid = fork();

	if (pid)
		return pid;
	if (policy) {
		pin_to(HOLDER);
		sched_setscheduler(0, policy, &param);
	}
	if (set_region(all_region(buffer, 8)))
		_exit(1);
	for (;;)
		pause();
}

/* Does a SIGKILL end a caller that waits for a lock holder without a CPU? */
static bool dies_before(char *buffer)
{
	pid_t holder, hog, waiter;
	bool waits, first = false;

	holder = fork_setter(buffer, SCHED_IDLE);
	if (comes_into(holder, "profil_hook_get")) {
		hog = fork_hog(HOLDER);
		waiter = fork_setter(buffer, SCHED_OTHER);
		waits = comes_into(waiter, "profil_hook_get");
		end(waiter);
		first = waits && is_in(holder, "profil_hook_get");
		end(hog);
	}
	end(holder);
	return first;
}

TEST_F(hook, waiter_for_hooks_can_be_killed)
{
	bool first = false;
	int tries;

	if (sysconf(_SC_NPROCESSORS_ONLN) <= HOLDER)
		SKIP(return, "needs two CPUs");
	if (access("/proc/self/stack", F_OK))
		SKIP(return, "a kernel that does not tell where a task is");
	pin_to(0);
	for (tries = 0; tries < TRIES && !first; tries++) {
		EXPECT_FALSE(armed_after_a_while());
		first = dies_before(self->buffer);
	}
	EXPECT_TRUE(first);
}

TEST_F(hook, module_not_unloadable_during_profile)
{
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	close(profil_fd());
	EXPECT_EQ(-1, syscall(SYS_delete_module, "profil", O_NONBLOCK));
	EXPECT_EQ(EWOULDBLOCK, errno);
	/* The descriptor that stop() uses. */
	ASSERT_EQ(profil_fd(), open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC));
}

static int switch_tracing(const char *on)
{
	int fd = open("/proc/sys/kernel/ftrace_enabled", O_WRONLY);
	int err = write(fd, on, 1) == 1 ? 0 : errno;

	close(fd);
	return err;
}

TEST_F(hook, with_tracing_switched_off_set_is_ebusy)
{
	int err;

	EXPECT_FALSE(armed_after_a_while());
	err = switch_tracing("0");
	if (err == EOPNOTSUPP)
		SKIP(return, "this kernel's tracing can't be switched off");
	ASSERT_EQ(0, err);
	err = set_region(all_region(self->buffer, 8));
	ASSERT_EQ(0, switch_tracing("1"));
	EXPECT_EQ(EBUSY, err);
	EXPECT_EQ(PROFIL_STATE_OFF, query().state);
	EXPECT_EQ(0, set_region(all_region(self->buffer, 8)));
	/* And it cannot be switched off under a profile. */
	EXPECT_EQ(EBUSY, switch_tracing("0"));
	burn(2);
}

TEST_HARNESS_MAIN
