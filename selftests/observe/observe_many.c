// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user who follows as many processes as one may: other users have room, and
 * there is room again when these have ended.
 */
#include <sched.h>
#include <stdio.h>

#include "observe_test.h"

#define OTHER		2000
#define OTHERS		4	/* two users may share a limit */
#define FOLLOWED	32768	/* of a user, by all observers together */
#define PROCESSES	(FOLLOWED / PROFIL_OBSERVERS_MAX)
#define STACK		4096

FIXTURE(observe_many) {
	struct observer *o;
	int fd[PROFIL_OBSERVERS_MAX];
	pid_t *pids;
	char *stacks;
	int nr;
};

/* A small kernel, or one with little memory, has fewer until it is told otherwise. */
static int raise_limit(const char *name)
{
	FILE *file = fopen(name, "r+");
	int most = 0;

	if (!file || fscanf(file, "%d", &most) != 1)
		return -1;
	rewind(file);
	if (most < 2 * PROCESSES)
		fprintf(file, "%d\n", 2 * PROCESSES);
	return fclose(file);
}

FIXTURE_SETUP(observe_many)
{
	int i;

	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	self->pids = calloc(PROCESSES + 10, sizeof(*self->pids));
	ASSERT_NE(NULL, self->o);
	ASSERT_NE(NULL, self->pids);
	ASSERT_EQ(0, raise_limit("/proc/sys/kernel/pid_max"));
	ASSERT_EQ(0, raise_limit("/proc/sys/kernel/threads-max"));
	self->stacks = map_buffer((PROCESSES + 10) * STACK);
	ASSERT_EQ(0, observe_open(self->o, 1, 0));
	self->fd[0] = self->o->fd;
	for (i = 1; i < PROFIL_OBSERVERS_MAX; i++) {
		struct profil_observe args = observe_args(1);

		self->fd[i] = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
		ASSERT_EQ(0, observe_fd(self->fd[i], &args));
	}
}

FIXTURE_TEARDOWN(observe_many)
{
	int i;

	for (i = 1; i < PROFIL_OBSERVERS_MAX; i++)
		close(self->fd[i]);
	observe_close(self->o);
	free(self->pids);
	free(self->o);
}

static int wait_for_end(void *unused)
{
	for (;;)
		pause();
	return 0;
}

/* Forks until a child is not followed; it shares the memory, to be small. */
static int fork_many(struct observer *o, pid_t *pids, char *stacks)
{
	int nr = 0;

	while (!o->sum.not_followed && nr < PROCESSES + 10) {
		stacks += STACK;
		pids[nr] = clone(wait_for_end, stacks, CLONE_VM | SIGCHLD, NULL);
		if (pids[nr] < 0 || (++nr >= PROCESSES - 2 && observe_read(o)))
			break;
	}
	return nr;
}

static void end_all(const pid_t *pids, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < nr; i++)
		waitpid(pids[i], NULL, 0);
}

static int join_as(uid_t uid, struct observer *o)
{
	pid_t pid = fork();

	if (!pid) {
		if (become_user(uid) || observe_open(o, 1000, 0) ||
		    observe_join(o->fd, 0, 0, 0))
			_exit(1);
		burn_ms(100);
		_exit(observe_read(o) || !o->hot ? 2 : 0);
	}
	return end_of(pid);
}

TEST_F(observe_many, user_at_its_limit_leaves_others_room)
{
	struct observer *other = calloc(1, sizeof(*other));
	pid_t pid;
	int i, joined = 0;

	ASSERT_NE(NULL, other);
	for (i = 0; i < PROFIL_OBSERVERS_MAX; i++)
		ASSERT_EQ(0, observe_join(self->fd[i], 0, 0, 0));
	self->nr = fork_many(self->o, self->pids, self->stacks);
	TH_LOG("%d processes, %u followed", self->nr, self->o->map->followed);
	if (!self->o->sum.not_followed)
		end_all(self->pids, self->nr);
	ASSERT_LT(0, self->o->sum.not_followed);
	EXPECT_GE(self->nr + 1, self->o->map->followed);
	for (i = 0; i < OTHERS; i++)
		joined += !join_as(OTHER + i, other);
	EXPECT_LE(OTHERS - 1, joined);
	pid = fork();
	ASSERT_NE(-1, pid);
	while (!pid)
		pause();
	EXPECT_EQ(EAGAIN, observe_join_pid(self->o->fd, pid));
	end_all(self->pids, self->nr);
	EXPECT_EQ(0, observe_join_pid(self->o->fd, pid));
	EXPECT_EQ(0, observe_read(self->o));
	EXPECT_EQ(2, self->o->map->followed);
	EXPECT_TRUE(self->o->balanced);
	kill(pid, SIGKILL);
	end_of(pid);
	free(other);
}

TEST_HARNESS_MAIN
