// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process is joined in the midst of its execs.  What runs has addresses, and each
 * image but the last has an end.
 */
#include "observe_test.h"

#define JOINS	1000

static void *exec_again(void *argv)
{
	execv("/proc/self/exe", argv);
	_exit(1);
}

/* This program again: a millisecond each time, until it is killed. */
__attribute__((constructor)) static void exec_if_told(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		return;
	burn_ms(1);
	/* The leader ends in this exec, and its pid becomes the thread's. */
	if (!strcmp(argv[1], "thread")) {
		if (pthread_create(&thread, NULL, exec_again, argv))
			_exit(2);
		for (;;)
			pause();
	}
	exec_again(argv);
}

struct seen {
	uint32_t joined, without, unended;
};

FIXTURE(observe_exec) {
	struct observer *o;
	struct seen seen;
};

FIXTURE_SETUP(observe_exec)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
}

FIXTURE_TEARDOWN(observe_exec)
{
	free(self->o);
}

/* 0, or the line that failed. */
static int join_beside(struct observer *o, const char *how, struct seen *seen)
{
	pid_t pid = fork();
	uint32_t i, n;
	int status;

	if (!pid) {
		execl("/proc/self/exe", "exec", how, NULL);
		_exit(1);
	}
	usleep(100000);
	for (n = 0; n < JOINS; n++) {
		FAIL_UNLESS(!observe_open(o, 10000, 0));
		if (!observe_join_pid(o->fd, pid)) {
			seen->joined++;
			usleep(300);
			FAIL_UNLESS(!observe_read(o));
			for (i = 0; i < o->nr_images; i++)
				seen->without += !o->image[i].entry &&
					o->in_user[o->image[i].number];
			seen->unended += o->nr_images > o->nr_ends + 1;
		}
		observe_close(o);
	}
	/* It runs on. */
	FAIL_UNLESS(!waitpid(pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	FAIL_UNLESS(end_of(pid) == SIGKILL);
	return 0;
}

#define EXPECT_JOINED(how)						\
do {									\
	struct seen *seen = &self->seen;				\
									\
	EXPECT_EQ(0, join_beside(self->o, how, seen));			\
	TH_LOG("%u joined, %u without addresses, %u without an end",	\
	       seen->joined, seen->without, seen->unended);		\
	EXPECT_LT(JOINS / 10, seen->joined);				\
	EXPECT_EQ(0, seen->without);					\
	EXPECT_EQ(0, seen->unended);					\
} while (0)

TEST_F(observe_exec, join_beside_exec_has_addresses)
{
	EXPECT_JOINED("again");
}

TEST_F(observe_exec, join_beside_exec_of_a_thread)
{
	EXPECT_JOINED("thread");
}

TEST_HARNESS_MAIN
