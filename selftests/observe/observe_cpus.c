// SPDX-License-Identifier: GPL-2.0-only
/* Observers on a CPU that goes offline and comes back. */
#include "machine_test.h"
#include "observe_test.h"

static const char online[] = "/sys/devices/system/cpu/cpu1/online";
static const char rt_runtime[] = "/proc/sys/kernel/sched_rt_runtime_us";

#define ROUNDS	3
#define RATE	2
#define WORK_MS	5000

/* The timer is set on CPU 1, and it is alone there when the CPU is back. */
static void leave_and_come_back(int ready, int go)
{
	struct sched_param param = { .sched_priority = 50 };
	char byte;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pin_to(1);
		burn_ms(1);
		pin_to(0);
		FAIL_UNLESS(write(ready, "", 1) == 1);
		FAIL_UNLESS(read(go, &byte, 1) == 1);
		pin_to(1);
		FAIL_UNLESS(!sched_setscheduler(0, SCHED_FIFO, &param));
		burn_ms(WORK_MS);
		param.sched_priority = 0;
		FAIL_UNLESS(!sched_setscheduler(0, SCHED_OTHER, &param));
		param.sched_priority = 50;
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
	ASSERT_EQ(0, write_file(rt_runtime, "-1"));
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
	EXPECT_EQ(0, write_file(rt_runtime, "950000"));
	EXPECT_TRUE(o->balanced);
	observe_close(o);
	free(o);
}

TEST_HARNESS_MAIN
