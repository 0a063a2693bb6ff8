// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every nanosecond of CPU time is equally likely to be seen, however it is
 * spread over time.
 */
#include "observe_test.h"

#define RATE	4000
#define DUE	1000		/* samples */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = { ns / 1000000000, ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

struct run {
	double seen, least, due;	/* samples; least: of the stints alone */
};

/*
 * Runs for a stint, then sleeps until a multiple of the period.  Returns the CPU
 * time of the stints.  The kernel's own time for a switch is not in them: a thread
 * has it before it comes on, and an emulator takes a millisecond for it.
 */
static uint64_t run_stints(uint64_t stint_ns, uint64_t period_ns)
{
	uint64_t begin, now, ran = 0;

	while (ran < DUE * (1000000000ULL / RATE)) {
		begin = cpu_ns();
		do {
			hot_a(200);
			now = cpu_ns();
		} while (now < begin + stint_ns);
		ran += now - begin;
		sleep_until((now_ns() / period_ns + 1) * period_ns);
	}
	return ran;
}

static bool run_observed(uint64_t stint_ns, uint64_t period_ns, struct run *run)
{
	struct observer *o = calloc(1, sizeof(*o));
	uint64_t begin;

	if (!o || observe_open(o, RATE, 0) || observe_join(o->fd, 0, 0, 0))
		return false;
	begin = cpu_ns();
	run->least = run_stints(stint_ns, period_ns) / 1e9 * RATE;
	run->due = (cpu_ns() - begin) / 1e9 * RATE;
	if (observe_read(o))
		return false;
	run->seen = o->sum.seen;
	observe_close(o);
	free(o);
	return true;
}

/* 4 standard deviations of a Poisson distribution, and a fifth for late timers. */
static bool is_far(double seen, double due)
{
	double far = (seen < due ? due - seen : seen - due) - due / 5;

	return far > 0 && far * far >= 16 * due;
}

static bool is_fair(const struct run *run)
{
	return !(run->seen < run->least && is_far(run->seen, run->least)) &&
	       !(run->seen > run->due && is_far(run->seen, run->due));
}

/* Three times, for a fault does not come and go with what else the machine does. */
#define EXPECT_FAIR(stint_ns, period_ns)				\
do {									\
	struct run run;							\
	int tries = 0;							\
									\
	do {								\
		ASSERT_TRUE(run_observed(stint_ns, period_ns, &run));	\
		TH_LOG("%.0f seen of %.0f to %.0f due", run.seen, run.least, run.due); \
	} while (!is_fair(&run) && ++tries < 3);			\
	EXPECT_GT(3, tries);						\
} while (0)

TEST(free_running_thread_is_seen_fairly)
{
	NEED_FINE_TIMERS();
	EXPECT_FAIR(10000000, 1000);
}

TEST(short_stints_are_seen_fairly)
{
	NEED_FINE_TIMERS();
	EXPECT_FAIR(100000, 1000000);
}

TEST(thread_in_step_with_tick_is_seen_fairly)
{
	NEED_FINE_TIMERS();
	EXPECT_FAIR(500000, 4000000);
}

TEST_HARNESS_MAIN
