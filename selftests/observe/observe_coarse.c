// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where timers have the tick's resolution (highres=off), an observer or a profile
 * has at most the tick's rate, and a higher one is refused.
 */
#include "observe_test.h"

FIXTURE(observe_coarse) {
	struct observer *o;
	uint32_t max_rate;
};

FIXTURE_SETUP(observe_coarse)
{
	self->max_rate = observe_max_rate();
	if (self->max_rate > (uint32_t)sysconf(_SC_CLK_TCK) * 10)
		SKIP(_exit(255), "timers are finer than the tick");
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
}

FIXTURE_TEARDOWN(observe_coarse)
{
	free(self->o);
}

TEST_F(observe_coarse, rate_above_the_ticks_is_eopnotsupp)
{
	ASSERT_LT(0, self->max_rate);
	EXPECT_EQ(EOPNOTSUPP, observe_open(self->o, self->max_rate + 1, 0));
	close(self->o->fd);
}

TEST_F(observe_coarse, rate_of_the_tick_counts)
{
	struct observer *o = self->o;

	ASSERT_EQ(0, observe_open(o, self->max_rate, 0));
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	burn_ms(1000);
	ASSERT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	EXPECT_LT(0, o->sum.counted);
	EXPECT_LT(0, o->hot);
	observe_close(o);
}

TEST_F(observe_coarse, profile_above_the_ticks_is_eopnotsupp)
{
	void *buffer = map_buffer(16 * PAGE);
	struct profil_region region = hot_region(buffer, 4);
	struct profil_set set = {
		.size = sizeof(set),
		.regions = addr(&region),
		.nr_regions = 1,
		.region_size = sizeof(region),
		.rate_hz = self->max_rate + 1,
	};

	EXPECT_EQ(EOPNOTSUPP, do_ioctl(PROFIL_IOC_SET, &set));
	set.rate_hz--;
	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &set));
	burn(20);
	EXPECT_LT(0, stop().books.seen);
	EXPECT_LT(0, hot_sum(buffer, 4));
}

TEST_HARNESS_MAIN
