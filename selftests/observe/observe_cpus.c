// SPDX-License-Identifier: GPL-2.0-only
/* Observers on a CPU that goes offline and comes back. */
#include "machine_test.h"
#include "observe_test.h"

static const char online[] = "/sys/devices/system/cpu/cpu1/online";

#define ROUNDS	3
#define RATE	2
#define WORK_MS	5000

/* A kernel leaves a twentieth of the time to others, in which the timer is set. */
static void leave_time_to_others(bool some)
{
	const char *servers = "/sys/kernel/debug/sched/*_server/cpu*/runtime";
	glob_t files;
	size_t i;

	write_file("/proc/sys/kernel/sched_rt_runtime_us",
		   some ? "950000" : "-1");
	if (glob(servers, 0, NULL, &files))
		return;
	for (i = 0; i < files.gl_pathc; i++)
		write_file(files.gl_pathv[i], some ? "50000000" : "0");
	globfree(&files);
}

/* The timer is set on CPU 1, and it is alone there when the CPU is back. */
static void leave_and_come_back(int ready, int go)
{
	char byte;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pin_to(1);
		burn_ms(1);
		pin_to(0);
		FAIL_UNLESS(write(ready, "", 1) == 1);
		FAIL_UNLESS(read(go, &byte, 1) == 1);
		FAIL_UNLESS(!run_alone_on(1));
		burn_ms(WORK_MS);
		run_beside_others();
		FAIL_UNLESS(write(ready, "", 1) == 1);
	}
}

/* Without a switch on the CPU, nothing else sets the timer again. */
TEST(a_cpu_that_comes_back_takes_samples)
{
	struct observer *o = calloc(1, sizeof(*o));
	int ready[2], go[2], i;
	uint64_t before;
	char byte;
	pid_t pid;

	if (access(online, W_OK))
		SKIP(return, "no CPU that can be taken away");
	ASSERT_NE(NULL, o);
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, observe_open(o, RATE, 0));
	leave_time_to_others(false);
	pid = fork();
	if (!pid) {
		FAIL_UNLESS(!observe_join(o->fd, 0, 0, 0));
		leave_and_come_back(ready[1], go[0]);
		_exit(0);
	}
	close(ready[1]);
	for (i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(1, read(ready[0], &byte, 1));
		EXPECT_EQ(0, write_file(online, "0"));
		EXPECT_EQ(0, write_file(online, "1"));
		EXPECT_EQ(0, observe_read(o));
		before = o->sum.seen;
		EXPECT_EQ(1, write(go[1], "", 1));
		EXPECT_EQ(1, read(ready[0], &byte, 1));
		EXPECT_EQ(0, observe_read(o));
		TH_LOG("%llu samples", o->sum.seen - before);
		EXPECT_LT(before, o->sum.seen);
	}
	EXPECT_EQ(0, end_of(pid));
	leave_time_to_others(true);
	EXPECT_TRUE(o->balanced);
	observe_close(o);
	free(o);
}

TEST_HARNESS_MAIN
