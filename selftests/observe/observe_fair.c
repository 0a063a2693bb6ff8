// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every nanosecond of CPU time is equally likely to be seen, however it is
 * spread over time.
 */
#include "observe_test.h"

#define RATE	1000
#define DUE	250		/* samples */

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

/* Runs for a stint, then sleeps until a multiple of the period. */
static void run_stints(uint64_t stint_ns, uint64_t period_ns)
{
	uint64_t end = cpu_ns() + DUE * (1000000000ULL / RATE), stop;

	while (cpu_ns() < end) {
		for (stop = cpu_ns() + stint_ns; cpu_ns() < stop;)
			hot_a(200);
		sleep_until((now_ns() / period_ns + 1) * period_ns);
	}
}

/* Seen, less what was due, of which timers that are late may take a fifth. */
static double unfair(uint64_t stint_ns, uint64_t period_ns, double *due)
{
	struct observer *o = calloc(1, sizeof(*o));
	uint64_t begin;
	double far;

	if (!o || observe_open(o, RATE, 0) || observe_join(o->fd, 0, 0, 0))
		return 1e9;
	begin = cpu_ns();
	run_stints(stint_ns, period_ns);
	*due = (cpu_ns() - begin) / 1e9 * RATE;
	if (observe_read(o))
		return 1e9;
	far = o->sum.seen - *due;
	observe_close(o);
	free(o);
	return far;
}

/*
 * 4 standard deviations of a Poisson distribution, and a fifth.  Three times where
 * it is not: a fault does not come and go with what else the machine does.
 */
#define EXPECT_FAIR(stint_ns, period_ns)				\
do {									\
	double due, far;						\
	int tries = 0;							\
									\
	do {								\
		far = unfair(stint_ns, period_ns, &due);		\
		TH_LOG("%.0f of %.0f due", due + far, due);		\
		far = far < 0 ? -far : far;				\
		far = far < due / 5 ? 0 : far - due / 5;		\
	} while (16 * due <= far * far && ++tries < 3);			\
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
