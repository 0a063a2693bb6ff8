// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eight threads count in one 16-, one 32- and one 64-bit region for a guest
 * minute: the sum of the counters is the number of ticks, exactly.
 */
#include <time.h>

#include "profil_test.h"

#define THREADS	8
#define SECONDS	60

TEST(for_a_minute_nothing_is_lost)
{
	char *buffer = map_buffer(3 * PAGE);
	struct profil_region regions[3] = {
		hot_region(buffer, 2),
		hot_region(buffer + PAGE, 4),
		all_region(buffer + 2 * PAGE, 8),
	};
	struct profil_status status;
	pthread_t threads[THREADS];

	/* hot_a in 16 bits, hot_b in 32, all other text in 64. */
	regions[0].offset = addr(hot_a);
	regions[0].size = 64;
	regions[1].offset = addr(hot_b);
	regions[1].size = 64;
	ASSERT_EQ(0, set_regions(regions, 3));
	burners_start(threads, THREADS);
	sleep(SECONDS);
	burners_end(threads, THREADS);
	status = stop();

	ksft_print_msg("%llu ticks\n", status.books.seen);
	EXPECT_EQ(0, status.books.lost);
	EXPECT_EQ(0, status.books.outside);
	EXPECT_EQ(0, status.books.saturated);
	EXPECT_EQ(status.books.seen,
		  sum(buffer, 2, 64) + sum(buffer + PAGE, 4, 64) +
		  counter(buffer + 2 * PAGE, 8, 0));
	EXPECT_LT(0, sum(buffer, 2, 64));
	EXPECT_LT(0, sum(buffer + PAGE, 4, 64));
}

TEST_HARNESS_MAIN
