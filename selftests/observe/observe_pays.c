// SPDX-License-Identifier: GPL-2.0-only
/*
 * The observer's cgroup pays for what is kept of a process, and not the
 * process's own.
 */
#include <stdio.h>

#include "machine_test.h"
#include "observe_test.h"

#define GROUP	"/sys/fs/cgroup/profil_pays"
#define MANY	100
#define RECORD	1024UL		/* bytes of memory for one, or less */

/* Leaves the cgroup, says so by descriptor 1, and waits. */
static void leave_and_wait(void)
{
	if (!write_file("/sys/fs/cgroup/cgroup.procs", "0") &&
	    write(1, "", 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

/* This program again. */
__attribute__((constructor)) static void leave_if_told(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "leave"))
		leave_and_wait();
}

static long reported_bytes(void)
{
	char line[100];
	FILE *file = fopen(GROUP "/memory.stat", "r");
	long bytes = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "slab_unreclaimable %ld", &bytes) == 1)
			break;
	if (file)
		fclose(file);
	return bytes;
}

/* The kernel's memory of what was done in the cgroup. */
static long kernel_bytes(void)
{
	long bytes = reported_bytes(), before;
	int tries = 10;

	/* Small changes are reported within 2 s, or later on a busy machine. */
	do {
		before = bytes;
		sleep(3);
		bytes = reported_bytes();
	} while (bytes != before && --tries);
	return bytes;
}

static void begin_in_group(int fd, int told, bool join, bool exec)
{
	dup2(told, 1);
	if (write_file(GROUP "/cgroup.procs", "0") ||
	    (join && observe_join(fd, 0, 0, 0)))
		_exit(2);
	if (exec)
		execl("/proc/self/exe", "leave", "leave", NULL);
	else
		leave_and_wait();
	_exit(3);
}

/* What the cgroup has paid for processes that have begun there and left. */
static long paid(int fd, bool join, bool exec)
{
	pid_t pids[MANY];
	long bytes = kernel_bytes();
	int told[2], i;
	char byte;

	if (pipe(told))
		return -1;
	for (i = 0; i < MANY; i++) {
		pids[i] = fork();
		if (!pids[i])
			begin_in_group(fd, told[1], join, exec);
		if (read(told[0], &byte, 1) != 1)
			return -1;
	}
	bytes = kernel_bytes() - bytes;
	for (i = 0; i < MANY; i++) {
		kill(pids[i], SIGKILL);
		end_of(pids[i]);
	}
	close(told[0]);
	close(told[1]);
	return bytes;
}

static void expect_no_more(struct __test_metadata *_metadata, bool exec)
{
	struct observer *o = calloc(1, sizeof(*o));
	const char *reason = group_create(GROUP);
	long without, with;

	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_NE(NULL, o);
	ASSERT_EQ(0, observe_open(o, 1000, 0));
	without = paid(o->fd, false, exec);
	with = paid(o->fd, true, exec);
	TH_LOG("%ld bytes, %ld followed", without, with);
	EXPECT_GT(without + MANY * (long)RECORD / 2, with);
	EXPECT_EQ(0, rmdir(GROUP));
	observe_close(o);
	free(o);
}

TEST(join_costs_the_cgroup_nothing)
{
	NEED_FINE_TIMERS();
	expect_no_more(_metadata, false);
}

TEST(exec_costs_the_cgroup_no_more)
{
	NEED_FINE_TIMERS();
	expect_no_more(_metadata, true);
}

/* In the cgroup, which has no process afterwards: no one is there to be killed. */
static int open_in_group(struct observer *o)
{
	char text[40];
	FILE *file;
	long bytes = 0;
	int err;

	if (write_file(GROUP "/cgroup.procs", "0"))
		return -1;
	err = observe_open(o, 1000, 0);
	if (write_file("/sys/fs/cgroup/cgroup.procs", "0"))
		return -1;
	file = fopen(GROUP "/memory.current", "r");
	if (!file || fscanf(file, "%ld", &bytes) != 1)
		return -1;
	fclose(file);
	snprintf(text, sizeof(text), "%ld", bytes + (32L << 10));
	return err ? err : write_file(GROUP "/memory.max", text);
}

/* The image of a child that has joined itself, or none where there is no room. */
static int join_at_limit(struct observer *o)
{
	pid_t pid = fork();
	uint32_t had = o->nr_images;
	int err;

	if (!pid) {
		err = observe_join(o->fd, 0, 0, 0);
		if (!err)
			burn_ms(20);
		_exit(err);
	}
	err = end_of(pid) >> 8;
	if (observe_read(o))
		return -1;
	if (err || o->nr_images == had)
		return err;
	return o->image[had].path[0] == '/' && !o->image[had].flags ? 0 : EPROTO;
}

/* What is kept of a process is whole, or it is not followed. */
TEST(join_beyond_the_cgroups_limit_is_enomem)
{
	struct observer *o = calloc(1, sizeof(*o));
	const char *reason = group_create(GROUP);
	pid_t pids[400];
	int i, err, failed = 0;

	NEED_FINE_TIMERS();
	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_NE(NULL, o);
	pin_to(0);
	ASSERT_EQ(0, open_in_group(o));
	for (i = 0; i < 400 && failed < 5; i++) {
		/* These hold memory. */
		pids[i] = fork();
		if (!pids[i]) {
			observe_join(o->fd, 0, 0, 0);
			for (;;)
				pause();
		}
		err = join_at_limit(o);
		failed += err == ENOMEM;
		if (err)
			EXPECT_EQ(ENOMEM, err);
	}
	TH_LOG("%d processes", i);
	EXPECT_EQ(5, failed);
	while (i--) {
		kill(pids[i], SIGKILL);
		end_of(pids[i]);
	}
	observe_close(o);
	free(o);
	/* The observer's memory goes a grace period later. */
	for (i = 0; i < 1000 && rmdir(GROUP); i++)
		usleep(10000);
	EXPECT_GT(1000, i);
}

TEST_HARNESS_MAIN
