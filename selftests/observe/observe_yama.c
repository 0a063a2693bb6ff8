// SPDX-License-Identifier: GPL-2.0-only
/*
 * Yama says which processes of the same user one may ptrace, and so may join.
 * Any process may give itself.
 */
#include "observe_test.h"

#define RATE	5000
#define USER	1000
#define SCOPE	"/proc/sys/kernel/yama/ptrace_scope"

FIXTURE(observe_yama) {
	struct observer *o;
	pid_t stranger;		/* of the same user, and no child of it */
};

FIXTURE_SETUP(observe_yama)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
	self->stranger = fork();
	if (!self->stranger) {
		if (become_user(USER))
			_exit(1);
		for (;;)
			pause();
	}
}

FIXTURE_TEARDOWN(observe_yama)
{
	kill(self->stranger, SIGKILL);
	end_of(self->stranger);
	free(self->o);
}

/* Once it is 3 it stays so: the tests run in this order. */
static int set_scope(const char *scope)
{
	int fd = open(SCOPE, O_WRONLY);
	int ret = fd < 0 || write(fd, scope, 1) != 1;

	close(fd);
	return ret;
}

/* A child joins itself, another waits for its parent to join it. */
static int join_all(struct observer *o, pid_t stranger, int child_joins)
{
	int own = open_mem(getpid());
	pid_t waits = fork(), pid;

	while (!waits)
		hot_a(1000);
	FAIL_UNLESS(!observe_open(o, RATE, 0));
	pid = observe_start(o, 0, NULL);
	FAIL_UNLESS(!end_of(pid));
	FAIL_UNLESS(observe_join_pid(o->fd, waits) == child_joins);
	FAIL_UNLESS(observe_join_pid(o->fd, stranger) == -1);
	FAIL_UNLESS(observe_join(o->fd, stranger, own, 0) == ESRCH);
	/* Until the child has a sample. */
	burn_ms(100);
	kill(waits, SIGKILL);
	end_of(waits);
	FAIL_UNLESS(!observe_read(o) && o->balanced && o->hot);
	FAIL_UNLESS(o->nr_images == 1 + !child_joins);
	FAIL_UNLESS(o->image[0].pid == pid || o->image[1].pid == pid);
	return 0;
}

static int join_as_user(struct observer *o, pid_t stranger, int child_joins)
{
	pid_t pid = fork();

	if (!pid)
		_exit(become_user(USER) ? 255 :
					  join_all(o, stranger, child_joins));
	return end_of(pid);
}

TEST_F(observe_yama, child_is_the_parents_to_join)
{
	if (access(SCOPE, F_OK))
		SKIP(return, "a kernel without Yama");
	ASSERT_EQ(0, set_scope("1"));
	EXPECT_EQ(0, join_as_user(self->o, self->stranger, 0));
}

TEST_F(observe_yama, debugger_alone_joins_another)
{
	if (access(SCOPE, F_OK))
		SKIP(return, "a kernel without Yama");
	ASSERT_EQ(0, set_scope("2"));
	EXPECT_EQ(0, join_as_user(self->o, self->stranger, -1));
	/* Root is one. */
	ASSERT_EQ(0, observe_open(self->o, RATE, 0));
	EXPECT_EQ(0, observe_join_pid(self->o->fd, self->stranger));
	observe_close(self->o);
}

TEST_F(observe_yama, not_even_root_joins_another)
{
	if (access(SCOPE, F_OK))
		SKIP(return, "a kernel without Yama");
	ASSERT_EQ(0, set_scope("3"));
	EXPECT_EQ(0, join_as_user(self->o, self->stranger, -1));
	ASSERT_EQ(0, observe_open(self->o, RATE, 0));
	EXPECT_EQ(-1, observe_join_pid(self->o->fd, self->stranger));
	EXPECT_EQ(0, observe_join(self->o->fd, 0, 0, 0));
	observe_close(self->o);
}

TEST_HARNESS_MAIN
