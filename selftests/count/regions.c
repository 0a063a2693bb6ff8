// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many regions: order, overlap, mixed widths, the overflow region, and atomic
 * replacement.
 */

#include "profil_test.h"

FIXTURE(regions) {
	char *buffer;
};

FIXTURE_SETUP(regions)
{
	self->buffer = map_buffer(64 * PAGE);
}

FIXTURE_TEARDOWN(regions)
{
	stop();
	munmap(self->buffer, 64 * PAGE);
}

/* One 32-bit counter for all of size bytes of text from offset on. */
static struct profil_region one_counter(void *counter, uint64_t offset,
					uint64_t size)
{
	return (struct profil_region) {
		.base = addr(counter),
		.size = 4,
		.offset = offset,
		.scale = (4 * 65536 + size - 1) / size,
		.width = 4,
	};
}

#define FUNCTIONS	64

/* 64 equal functions, adjacent in text. */
asm(".pushsection hot_text_many, \"ax\"\n"
    ".balign 64\n"
    ".globl hot_many\n"
    "hot_many:\n"
    ".rept 64\n"
    "  .balign 64\n"
#if defined(__x86_64__) || defined(__i386__)
    "  mov $20000, %ecx\n"
    "1: dec %ecx\n"
    "  jnz 1b\n"
    "  ret\n"
#elif defined(__aarch64__)
    "  mov w0, #20000\n"
    "1: subs w0, w0, #1\n"
    "  b.ne 1b\n"
    "  ret\n"
#endif
    ".endr\n"
    ".balign 64\n"
    ".popsection\n");

extern char hot_many[] __attribute__((visibility("hidden")));

static void run_function(int i)
{
#if defined(__x86_64__) || defined(__i386__)
	asm volatile("call *%0" : : "r" (hot_many + 64 * i)
		     : "ecx", "memory", "cc");
#elif defined(__aarch64__)
	asm volatile("blr %0" : : "r" (hot_many + 64 * i)
		     : "x0", "x30", "memory", "cc");
#endif
}

TEST_F(regions, sample_in_64_regions_is_in_its_owner)
{
	struct profil_region_status each[FUNCTIONS + 1];
	struct profil_region regions[FUNCTIONS + 1];
	uint32_t *counters = (uint32_t *)self->buffer;
	struct profil_status status;
	uint64_t total = 0;
	int i;

	/* In a shuffled order. */
	for (i = 0; i < FUNCTIONS; i++) {
		int j = i * 37 % FUNCTIONS;

		regions[i] = one_counter(counters + j,
					 addr(hot_many + 64 * j), 64);
	}
	regions[FUNCTIONS] = all_region(self->buffer + PAGE, 8);
	ASSERT_EQ(0, set_regions(regions, FUNCTIONS + 1));
	do {
		/* Function i is called in proportion to i. */
		for (i = 0; i < FUNCTIONS; i++) {
			int n;

			for (n = 0; n < i; n++)
				run_function(i);
		}
	} while (query().books.seen < 2000);
	status = ask(PROFIL_IOC_STOP, 0, each, FUNCTIONS + 1);

	EXPECT_BALANCED(&status);
	EXPECT_EQ(0, status.books.outside);
	EXPECT_EQ(0, counters[0]);
	for (i = 0; i < FUNCTIONS; i++) {
		EXPECT_EQ(counters[i * 37 % FUNCTIONS], each[i].binned);
		total += counters[i];
	}
	EXPECT_EQ(status.books.binned,
		  total + counter(self->buffer + PAGE, 8, 0));
	EXPECT_LT(status.books.binned * 8 / 10, total);
	/* The upper half is called as 3 to 1. */
	EXPECT_LE(total * 70, 100 * sum(counters + 32, 4, 128));
	EXPECT_GE(total * 80, 100 * sum(counters + 32, 4, 128));
}

TEST_F(regions, sample_in_counter_of_its_scale)
{
	static const uint32_t scales[] = {
		0x20000, 0x10000, 0x8000, 0x1000, 0x801, 0x400,
	};
	struct profil_region region = {
		.base = addr(self->buffer),
		.size = 2 * PAGE,
		.offset = addr(hot_many),
	};
	uint32_t width;
	size_t i;

	for (width = 2; width <= 8; width *= 2)
		for (i = 0; i < ARRAY_SIZE(scales); i++) {
			/* Function 37's pcs, and the counters of these. */
			uint64_t d = 64 * 37, s = scales[i];
			size_t first = d * s / 65536 / width;
			size_t last = (d + 15) * s / 65536 / width;
			struct profil_status status;

			memset(self->buffer, 0, 2 * PAGE);
			region.width = width;
			region.scale = s;
			ASSERT_EQ(0, set_region(region));
			do {
				run_function(37);
			} while (query().books.binned < 5);
			status = stop();
			EXPECT_EQ(status.books.binned,
				  sum(self->buffer + first * width, width,
				      (last - first + 1) * width));
		}
}

TEST_F(regions, region_ends_where_last_counter_does)
{
	struct profil_region region = {
		.base = addr(self->buffer),
		.size = 64 * 10,
		.offset = addr(hot_many),
		.scale = 0x10000,
		.width = 8,
	};

	/* Function 10 begins at the first byte behind. */
	ASSERT_EQ(0, set_region(region));
	do {
		run_function(10);
	} while (query().books.outside < 50);
	EXPECT_EQ(0, stop().books.binned);
}

static uint64_t hot_begin(void)
{
	return addr(__start_hot);
}

static uint64_t hot_bytes(void)
{
	return __stop_hot - __start_hot;
}

/* Sets the regions, burns, and returns which of them got samples. */
static unsigned int counted(struct profil_region *regions, int nr)
{
	struct profil_region_status status[8];
	unsigned int mask = 0;
	int i;

	if (set_regions(regions, nr))
		return ~0;
	burn(20);
	ask(PROFIL_IOC_STOP, 0, status, nr);
	for (i = 0; i < nr; i++)
		/* burn() spends little time outside hot text. */
		mask |= (status[i].binned >= 10) << i;
	return mask;
}

TEST_F(regions, overlap_larger_offset_takes_pc)
{
	struct profil_region regions[2] = {
		one_counter(self->buffer, hot_begin() - 4096,
			    hot_bytes() + 8192),
		one_counter(self->buffer + 64, hot_begin(), hot_bytes()),
	};
	struct profil_region other_order[2] = { regions[1], regions[0] };

	EXPECT_EQ(2, counted(regions, 2));
	EXPECT_EQ(1, counted(other_order, 2));
}

TEST_F(regions, same_offset_first_region_takes_pc)
{
	struct profil_region regions[3] = {
		one_counter(self->buffer, hot_begin() - 64, 1 << 16),
		one_counter(self->buffer + 64, hot_begin(), hot_bytes()),
		one_counter(self->buffer + 128, hot_begin(), 1 << 16),
	};

	EXPECT_EQ(2, counted(regions, 3));
}

TEST_F(regions, pc_behind_nested_region_is_outer)
{
	struct profil_region regions[2] = {
		one_counter(self->buffer, hot_begin() - 4096,
			    hot_bytes() + 8192),
		one_counter(self->buffer + 64, hot_begin() - 64, 64),
	};

	EXPECT_EQ(1, counted(regions, 2));
}

TEST_F(regions, overflow_takes_what_no_other_region_took)
{
	struct profil_region regions[2] = {
		all_region(self->buffer, 8),
		one_counter(self->buffer + 64, hot_begin(), hot_bytes()),
	};

	EXPECT_EQ(2, counted(regions, 2));
	regions[1].offset = hot_begin() + hot_bytes();
	EXPECT_EQ(1, counted(regions, 2));
}

TEST_F(regions, overflow_begins_at_its_offset)
{
	struct profil_region region = all_region(self->buffer, 8);

	region.offset = hot_begin();
	EXPECT_EQ(1, counted(&region, 1));
	region.offset = UINT64_MAX;
	EXPECT_EQ(0, counted(&region, 1));
}

TEST_F(regions, overflow_counts_in_first_counter_only)
{
	struct profil_region region = all_region(self->buffer, 2);

	region.size = PAGE;
	ASSERT_EQ(0, set_region(region));
	burn(20);
	EXPECT_EQ(stop().books.binned, sum(self->buffer, 2, PAGE));
	EXPECT_EQ(counter(self->buffer, 2, 0), sum(self->buffer, 2, PAGE));
}

TEST_F(regions, widths_may_be_mixed_in_one_profile)
{
	struct profil_region regions[3] = {
		hot_region(self->buffer, 2),
		one_counter(self->buffer + 16 * PAGE, 0, hot_begin()),
		all_region(self->buffer + 32 * PAGE, 8),
	};
	struct profil_status status;

	ASSERT_EQ(0, set_regions(regions, 3));
	burn(100);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned,
		  hot_sum(self->buffer, 2) +
		  counter(self->buffer + 16 * PAGE, 4, 0) +
		  counter(self->buffer + 32 * PAGE, 8, 0));
}

TEST_F(regions, there_may_be_1024)
{
	static struct profil_region regions[1024];
	static struct profil_region_status each[1024];
	struct profil_status status;
	uint64_t total = 0;
	int i;

	for (i = 0; i < 1024; i++)
		regions[i] = one_counter(self->buffer + 8 * i,
					 hot_begin() + 4 * i - 2048, 64);
	ASSERT_EQ(0, set_regions(regions, 1024));
	/* A query of so many regions may take as long as a step of burn(). */
	do {
		hot_a(10000000);
	} while (query().books.seen < 50);
	status = ask(PROFIL_IOC_STOP, 0, each, 1024);
	EXPECT_BALANCED(&status);
	EXPECT_EQ(1024, status.nr_regions);
	for (i = 0; i < 1024; i++) {
		EXPECT_EQ(each[i].binned,
			  counter(self->buffer + 8 * i, 4, 0));
		total += each[i].binned;
	}
	EXPECT_EQ(status.books.binned, total);
	EXPECT_LT(10, total);
}

TEST_F(regions, a_second_set_replaces_the_first)
{
	struct profil_region first = all_region(self->buffer, 8);
	struct profil_region second = all_region(self->buffer + PAGE, 8);
	struct profil_status status;
	uint64_t before;

	ASSERT_EQ(0, set_region(first));
	burn(20);
	ASSERT_EQ(0, set_region(second));
	before = counter(self->buffer, 8, 0);
	burn(20);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(before, counter(self->buffer, 8, 0));
	EXPECT_EQ(status.books.binned, counter(self->buffer + PAGE, 8, 0));
}

TEST_F(regions, replace_while_threads_run_tears_nothing)
{
	struct profil_region pair[2][2] = {
		{ one_counter(self->buffer, hot_begin(), hot_bytes()),
		  all_region(self->buffer + 8, 8) },
		{ one_counter(self->buffer + PAGE, hot_begin(), hot_bytes()),
		  all_region(self->buffer + PAGE + 8, 8) },
	};
	pthread_t threads[2];
	uint64_t binned = 0, total;
	int i;

	ASSERT_EQ(0, set_regions(pair[0], 2));
	burners_start(threads, 2);
	for (i = 1; i < 300; i++)
		ASSERT_EQ(0, set_regions(pair[i % 2], 2));
	while (!counter(self->buffer, 4, 0) ||
	       !counter(self->buffer + PAGE, 4, 0))
		ASSERT_EQ(0, set_regions(pair[i++ % 2], 2));
	burners_end(threads, 2);
	binned = stop().books.binned;
	total = counter(self->buffer, 4, 0) + counter(self->buffer + 8, 8, 0) +
		counter(self->buffer + PAGE, 4, 0) +
		counter(self->buffer + PAGE + 8, 8, 0);
	EXPECT_LE(binned, total);
}

TEST_HARNESS_MAIN
