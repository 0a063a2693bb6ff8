// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notifiers: how many of a profile's buffers have one, counted by ftrace.
 */
#include "account_test.h"
#include "machine_test.h"

#define TRACING	"/sys/kernel/tracing/"
#define REGIONS	100

FIXTURE(watches) {
	char *buffer;
	bool traced;
};

FIXTURE_SETUP(watches)
{
	self->buffer = map_buffer(PAGE);
	self->traced = !write_file(TRACING "set_ftrace_filter",
				   "refresh_invalidate:mod:profil") &&
		       !write_file(TRACING "current_tracer", "function");
	write_file(TRACING "trace", "");
}

FIXTURE_TEARDOWN(watches)
{
	write_file(TRACING "current_tracer", "nop");
	write_file(TRACING "set_ftrace_filter", "");
	munmap(self->buffer, PAGE);
}

/* Calls of the notifier callback for a process. */
static int told(pid_t pid)
{
	FILE *trace = fopen(TRACING "trace", "r");
	char line[400], who[20];
	int n = 0;

	snprintf(who, sizeof(who), "-%d ", pid);
	while (trace && fgets(line, sizeof(line), trace))
		n += strstr(line, "refresh_invalidate") && strstr(line, who);
	if (trace)
		fclose(trace);
	return n;
}

static int set_many(char *buffer)
{
	struct profil_region regions[REGIONS];
	int i;

	regions[0] = all_region(buffer, 8);
	for (i = 1; i < REGIONS; i++)
		regions[i] = (struct profil_region) {
			.base = addr(buffer) + 8 * i,
			.size = 8,
			.offset = i << 12,
			.scale = 0x10000,
			.width = 8,
		};
	return set_regions(regions, REGIONS);
}

TEST_F(watches, each_region_has_one)
{
	if (!self->traced)
		SKIP(return, "no function tracer");
	ASSERT_EQ(0, set_many(self->buffer));
	madvise(self->buffer, PAGE, MADV_DONTNEED);
	stop();
	EXPECT_EQ(REGIONS, told(getpid()));
}

/* But for the last notifier, which tells of the end of the process. */
TEST_F(watches, region_off_has_no_notifier)
{
	int fds[2], status;
	pid_t pid;

	if (!self->traced)
		SKIP(return, "no function tracer");
	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, set_many(self->buffer));
	EXPECT_CHILD({
		drop_rights(0);
		pid = fork();
		while (!pid && query().state)
			hot_a(100000);
		if (!pid)
			_exit(madvise(self->buffer, PAGE, MADV_DONTNEED));
		if (write(fds[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		waitpid(pid, &status, 0);
		_exit(status ? 2 : 0);
	});
	stop();
	ASSERT_EQ(sizeof(pid), read(fds[0], &pid, sizeof(pid)));
	/* One call for the change, and two for the end. */
	EXPECT_GE(3, told(pid));
	EXPECT_LE(1, told(pid));
	close(fds[0]);
	close(fds[1]);
}

TEST_HARNESS_MAIN
