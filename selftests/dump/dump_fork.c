// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of children: a forked child writes its own, a vforked child writes no
 * file, and the name has the pid of the right pid namespace.
 */
#include <sched.h>
#include <signal.h>

#include "dump_test.h"

FIXTURE(dump_fork) {
	struct dump_area area;
	int status;
};

FIXTURE_SETUP(dump_fork)
{
	self->area = area_make();
}

FIXTURE_TEARDOWN(dump_fork)
{
	area_remove(&self->area);
}

TEST_F(dump_fork, forked_child_writes_its_own_memory)
{
	struct stat st;
	pid_t pid, child;
	char *name;

	pid = ENDED_CHILD({
		int i;

		ask_and_complete(&self->area);
		for (i = 0; i < 10; i++) {
			child = fork();
			if (!child) {
				*self->area.len = 100;
				_exit(0);
			}
			waitpid(child, &self->status, 0);
			name = area_name(&self->area, child);
			if (stat(name, &st) || st.st_size != HEAD + 100)
				_exit(2);
		}
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
	EXPECT_EQ(11, area_files(&self->area));
}

TEST_F(dump_fork, vforked_child_writes_no_file)
{
	pid_t pid = ENDED_CHILD({
		pid_t child;

		ask_and_complete(&self->area);
		child = vfork();
		if (!child)
			_exit(0);
		waitpid(child, &self->status, 0);
		if (area_files(&self->area))
			_exit(2);
	});

	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
	EXPECT_EQ(1, area_files(&self->area));
}

TEST_F(dump_fork, pid_in_name_is_of_callers_namespace)
{
	pid_t pid = ENDED_CHILD({
		int status;

		ask_and_complete(&self->area);
		if (unshare(CLONE_NEWPID))
			_exit(1);
		if (fork())
			_exit(wait(&status) < 0 || status);
		/* It is 1 here, but its file is not named so. */
		if (getpid() != 1)
			_exit(2);
	});

	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
	EXPECT_EQ(2, area_files(&self->area));
	EXPECT_EQ(0, area_written(&self->area, 1));

	ENDED_CHILD({
		int status;

		if (unshare(CLONE_NEWPID))
			_exit(1);
		if (fork())
			_exit(wait(&status) < 0 || status);
		ask_and_complete(&self->area);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, 1));
}

/* More at once than the module has prepared for. */
TEST_F(dump_fork, many_children_at_once_have_a_file_each)
{
	int i, n = 150, missing = 0;
	pid_t pids[150];

	ENDED_CHILD({
		ask_and_complete(&self->area);
		for (i = 0; i < n; i++) {
			pids[i] = fork();
			if (!pids[i]) {
				if (i % 3 == 0)
					kill(getpid(), SIGKILL);
				_exit(0);
			}
		}
		for (i = 0; i < n; i++) {
			waitpid(pids[i], &self->status, 0);
			missing += area_written(&self->area, pids[i]) != 1;
		}
		_exit(missing);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(n + 1, area_files(&self->area));
}

TEST_HARNESS_MAIN
