// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile with a rate goes or is replaced while its timer comes all the time.
 */
#include "observe_test.h"

#define RATE	100000		/* the most that root may have */
#define ROUNDS	20000

FIXTURE(rate_change) {
	void *buffer;
	struct profil_region region;
	struct profil_set set;
};

FIXTURE_SETUP(rate_change)
{
	NEED_FINE_TIMERS();
	self->buffer = map_buffer(16 * PAGE);
	self->region = hot_region(self->buffer, 4);
	self->set = (struct profil_set) {
		.size = sizeof(self->set),
		.regions = addr(&self->region),
		.nr_regions = 1,
		.region_size = sizeof(self->region),
		.rate_hz = RATE,
	};
}

FIXTURE_TEARDOWN(rate_change)
{
	stop();
	munmap(self->buffer, 16 * PAGE);
}

/* A sample that meets a profile that was just stopped is for no profile. */
TEST_F(rate_change, stop_in_its_own_interrupt)
{
	struct profil_status status;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
		status = stop();
		ASSERT_TRUE(balanced(&status.books));
	}
}

/* A sample that meets a profile that was just replaced is for the new one. */
TEST_F(rate_change, replace_in_its_own_interrupt)
{
	struct profil_status status;
	uint64_t seen = 0;
	int i;

	for (i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
	burn_ms(100);
	status = stop();
	seen = status.books.seen;
	TH_LOG("%llu seen", (unsigned long long)seen);
	EXPECT_TRUE(balanced(&status.books));
	EXPECT_LT(0, seen);
}

/* Threads on other CPUs are sampled meanwhile. */
TEST_F(rate_change, stop_beside_busy_threads)
{
	pthread_t threads[4];
	int i;

	burners_start(threads, 4);
	for (i = 0; i < ROUNDS / 10; i++) {
		ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
		stop();
	}
	burners_end(threads, 4);
}

TEST_HARNESS_MAIN
