// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failed allocations: each allocation of a call fails in turn, until all have.
 * The call either fails with ENOMEM and changes nothing, or succeeds.
 */
#include <stdio.h>

#include "dump_test.h"
#include "rseq_test.h"

#define NEW	3	/* regions of the profile that is asked for */

static int nth_fd = -1;

static void write_to(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		ksft_print_msg("%s: %s\n", name, strerror(errno));
	close(fd);
}

/* Each thread has its own file. */
static int open_nth(void)
{
	if (nth_fd >= 0)
		close(nth_fd);
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	return nth_fd < 0;
}

/* The n-th allocation of this thread from now on fails. */
static void fail(int n)
{
	char text[12];

	snprintf(text, sizeof(text), "%d", n);
	if (pwrite(nth_fd, text, strlen(text), 0) < 0)
		exit(KSFT_FAIL);
}

/* The call succeeded: had an allocation failed before? */
static bool failed(void)
{
	char text[12] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) < 1)
		exit(KSFT_FAIL);
	fail(0);
	return !atoi(text);
}

static struct profil_region_status answers[NEW];

static int ask_errno(unsigned long cmd)
{
	struct profil_status status = {
		.size = sizeof(status),
		.regions = addr(answers),
		.nr_regions = NEW,
		.region_size = sizeof(*answers),
	};

	return do_ioctl(cmd, &status);
}

FIXTURE(fault) {
	char *buffer;
	char *other;
	struct dump_area area;
	int status;
};

FIXTURE_SETUP(fault)
{
	static const char *knobs[] = { "failslab", "fail_page_alloc" };
	char name[80];
	int i;

	/* The harness would go on to the test. */
	if (open_nth())
		SKIP(_exit(255), "a kernel without CONFIG_FAULT_INJECTION");
	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name),
			 "/sys/kernel/debug/%s/ignore-gfp-wait", knobs[i]);
		write_to(name, "N");
		snprintf(name, sizeof(name), "/sys/kernel/debug/%s/verbose",
			 knobs[i]);
		write_to(name, "0");
	}
	no_rseq();
	profil_fd();
	write_to("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	write_to("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	self->buffer = map_buffer(PAGE);
	self->other = map_buffer(8 * PAGE);
	self->area = area_make();
}

FIXTURE_TEARDOWN(fault)
{
	stop();
	munmap(self->buffer, PAGE);
	munmap(self->other, 8 * PAGE);
	area_remove(&self->area);
}

static int set_new(char *buffer)
{
	struct profil_region regions[NEW] = {
		hot_region(buffer, 2),
		hot_region(buffer + 2 * PAGE, 4),
		all_region(buffer + 4 * PAGE, 8),
	};

	return set_regions(regions, NEW);
}

TEST_F(fault, a_set_that_fails_leaves_the_old_profile)
{
	struct profil_status status;
	int n, err, failures = 0;
	bool hit = true;

	for (n = 1; hit; n++) {
		*(uint64_t *)self->buffer = 0;
		ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
		fail(n);
		err = set_new(self->other);
		hit = failed();
		if (err) {
			ASSERT_EQ(ENOMEM, err);
			ASSERT_TRUE(hit);
			failures++;
		}
		burn(1);
		status = stop();
		EXPECT_BALANCED(&status);
		EXPECT_EQ(err ? 1 : NEW, status.nr_regions);
		if (err) {
			EXPECT_EQ(status.books.binned,
				  counter(self->buffer, 8, 0));
		}
	}
	EXPECT_LE(3, failures);
}

/*
 * The hooks go out a second after the last profile, and come in with the next.
 */
TEST_F_TIMEOUT(fault, a_first_set_that_fails_leaves_nothing, 1200)
{
	int n, err, failures = 0;
	bool hit = true;

	for (n = 1; hit; n++) {
		stop();
		usleep(1500000);
		fail(n);
		err = set_new(self->other);
		hit = failed();
		if (!err)
			continue;
		ASSERT_EQ(ENOMEM, err);
		ASSERT_TRUE(hit);
		EXPECT_EQ(PROFIL_STATE_OFF, query().state);
		failures++;
	}
	EXPECT_EQ(PROFIL_STATE_ON, query().state);
	EXPECT_LE(5, failures);
}

TEST_F(fault, an_answer_that_fails_ends_nothing)
{
	static const unsigned long cmds[] = {
		PROFIL_IOC_QUERY, PROFIL_IOC_STOP
	};
	int i, n, err, failures = 0;
	bool hit, ended;

	for (i = 0; i < 2; i++) {
		for (n = 1, hit = true; hit; n++) {
			ASSERT_EQ(0, set_new(self->other));
			fail(n);
			err = ask_errno(cmds[i]);
			hit = failed();
			ended = !err && cmds[i] == PROFIL_IOC_STOP;
			EXPECT_EQ(ended ? PROFIL_STATE_OFF : PROFIL_STATE_ON,
				  query().state);
			if (err) {
				EXPECT_EQ(ENOMEM, err);
				failures++;
			}
		}
	}
	EXPECT_LE(2, failures);
}

/* After any failure, a child that sets a profile later is counted. */
TEST_F(fault, child_failed_refresh_is_retried)
{
	struct profil_status status;
	int n, failures = 0;

	ASSERT_EQ(0, set_new(self->other));
	for (n = 1; ; n++) {
		EXPECT_EQ(self->status, 0);
		ENDED_CHILD({
			int err;
			bool hit;

			if (open_nth())
				_exit(1);
			/* A page fault without memory would be EFAULT. */
			memset(answers, 0, sizeof(answers));
			fail(n);
			err = ask_errno(PROFIL_IOC_QUERY);
			hit = failed();
			if (err && err != ENOMEM)
				_exit(2);
			burn(3);
			status = stop();
			if (!balanced(&status.books) || status.books.lost ||
			    !status.books.binned)
				_exit(3);
			_exit(hit ? 100 : 0);
		});
		if (self->status != 100 << 8)
			break;
		self->status = 0;
		failures++;
	}
	EXPECT_EQ(0, self->status);
	EXPECT_LE(1, failures);
}

/*
 * The fork hook makes the child's profile and can't report a failure.  Forks do
 * not always allocate the same, so one sweep may miss it.
 */
TEST_F_TIMEOUT(fault, failed_fork_leaves_parent_unchanged, 1200)
{
	struct profil_status status;
	int n = 1, sweeps = 0, wait_status, unprofiled = 0;
	bool hit;
	pid_t pid;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	while (sweeps < 2 || (sweeps < 9 && !unprofiled)) {
		fail(n++);
		pid = fork();
		if (!pid) {
			status = query();
			_exit(status.state == PROFIL_STATE_OFF ? 10 :
			      balanced(&status.books) ? 0 : 1);
		}
		hit = failed();
		if (pid < 0)
			continue;
		if (!hit) {
			sweeps++;
			n = 1;
		}
		ASSERT_EQ(pid, waitpid(pid, &wait_status, 0));
		if (wait_status == 10 << 8)
			unprofiled++;
		else
			EXPECT_EQ(0, wait_status);
	}
	EXPECT_LE(1, unprofiled);
	burn(3);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, counter(self->buffer, 8, 0));
}

TEST_F(fault, a_dump_that_fails_leaves_no_file)
{
	struct profil_dump dump;
	int n, failures = 0;
	pid_t pid;
	int fd = open(self->area.dir, O_RDONLY | O_DIRECTORY);

	ASSERT_LE(0, fd);
	for (n = 1; ; n++) {
		pid = ENDED_CHILD({
			int err;
			bool hit;

			if (open_nth())
				_exit(1);
			dump = area_dump(&self->area, fd);
			fail(n);
			err = set_dump(&dump, area_counter(&self->area));
			hit = failed();
			if (err && err != ENOMEM)
				_exit(2);
			area_complete(&self->area);
			_exit((hit ? 100 : 0) + !!err);
		});
		if (self->status == 101 << 8) {
			EXPECT_EQ(0, area_files(&self->area));
			failures++;
			continue;
		}
		EXPECT_EQ(1, area_written(&self->area, pid));
		unlink(area_name(&self->area, pid));
		if (self->status != 100 << 8)
			break;
	}
	EXPECT_EQ(0, self->status);
	EXPECT_LE(5, failures);
	close(fd);
}

TEST_HARNESS_MAIN
