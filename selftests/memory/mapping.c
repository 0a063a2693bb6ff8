// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes to the buffer's mapping: an increment lands where a store by the
 * program would, or the region is off with a reason.
 */

#include "profil_test.h"

FIXTURE(mapping) {
	char *buffer;
};

FIXTURE_SETUP(mapping)
{
	self->buffer = map_buffer(4 * PAGE);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	burn(5);
}

FIXTURE_TEARDOWN(mapping)
{
	struct profil_status status = stop();

	EXPECT_BALANCED(&status);
	munmap(self->buffer, 4 * PAGE);
}

static uint64_t first(const char *buffer)
{
	return counter(buffer, 8, 0);
}

/* Burns until a tick has found the buffer gone, and returns the reason. */
static uint32_t reason_of_off(void)
{
	struct profil_status status;
	int i;

	for (i = 0; i < 2000; i++) {
		hot_a(100000);
		status = query();
		if (status.state == PROFIL_STATE_OFF)
			return status.reason;
	}
	return PROFIL_REASON_NONE;
}

static void *map_at(void *at, size_t size, int prot)
{
	return mmap(at, size, prot, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
}

TEST_F(mapping, unmapped_is_off)
{
	uint64_t binned = query().books.binned;
	struct profil_status status;

	ASSERT_EQ(0, munmap(self->buffer, PAGE));
	EXPECT_EQ(PROFIL_REASON_UNMAPPED, reason_of_off());
	status = query();
	EXPECT_BALANCED(&status);
	EXPECT_LE(binned, status.books.binned);
	EXPECT_EQ(1, status.nr_regions);
}

TEST_F(mapping, off_stays_off_when_it_is_mapped_again)
{
	int i;

	ASSERT_EQ(0, munmap(self->buffer, PAGE));
	EXPECT_EQ(PROFIL_REASON_UNMAPPED, reason_of_off());
	map_at(self->buffer, PAGE, PROT_READ | PROT_WRITE);
	for (i = 0; i < 50; i++)
		hot_a(200000);
	EXPECT_EQ(0, first(self->buffer));
	EXPECT_EQ(PROFIL_STATE_OFF, query().state);
	/* But a new profile may use it. */
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	burn(5);
	EXPECT_EQ(stop().books.binned, first(self->buffer));
}

TEST_F(mapping, read_only_is_off)
{
	uint64_t before;

	ASSERT_EQ(0, mprotect(self->buffer, PAGE, PROT_READ));
	before = first(self->buffer);
	EXPECT_EQ(PROFIL_REASON_READONLY, reason_of_off());
	EXPECT_EQ(before, first(self->buffer));
}

TEST_F(mapping, one_region_off_leaves_the_others_on)
{
	struct profil_region regions[2] = {
		hot_region(self->buffer, 2),
		all_region(self->buffer + 3 * PAGE, 8),
	};
	struct profil_region_status each[2];
	int i;

	ASSERT_EQ(0, set_regions(regions, 2));
	ASSERT_EQ(0, munmap(self->buffer, 3 * PAGE));
	for (i = 0; i < 2000; i++) {
		hot_a(100000);
		ask(PROFIL_IOC_QUERY, 0, each, 2);
		if (each[0].state == PROFIL_STATE_OFF)
			break;
	}
	EXPECT_EQ(PROFIL_STATE_OFF, each[0].state);
	EXPECT_EQ(PROFIL_REASON_UNMAPPED, each[0].reason);
	EXPECT_EQ(PROFIL_STATE_ON, each[1].state);
	/* The samples of the region that is off go to the overflow. */
	burn(20);
	EXPECT_EQ(stop().books.binned,
		  first(self->buffer + 3 * PAGE) + each[0].binned);
	EXPECT_LE(15, first(self->buffer + 3 * PAGE));
}

TEST_F(mapping, remapped_between_ticks_loses_nothing)
{
	uint64_t sum = 0;
	int i;

	/* The program keeps what was counted so far, as it would its own. */
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, mprotect(self->buffer, PAGE, PROT_READ));
		sum += first(self->buffer);
		map_at(self->buffer, PAGE, PROT_READ | PROT_WRITE);
		hot_a(100000);
		if (query().state == PROFIL_STATE_OFF)
			break;
	}
	/* A tick may fall while it is read-only, and that switches it off. */
	EXPECT_EQ(stop().books.binned, sum + first(self->buffer));
}

TEST_F(mapping, protected_and_back_keeps_counting)
{
	int i;

	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, mprotect(self->buffer, PAGE,
				      PROT_READ | PROT_WRITE | PROT_EXEC));
		hot_a(100000);
		ASSERT_EQ(0, mprotect(self->buffer, PAGE,
				      PROT_READ | PROT_WRITE));
		hot_a(100000);
	}
	EXPECT_EQ(PROFIL_STATE_ON, query().state);
	EXPECT_EQ(stop().books.binned, first(self->buffer));
}

TEST_F(mapping, discarded_page_counts_from_zero)
{
	struct profil_status before, after;
	uint64_t kept = first(self->buffer);

	ASSERT_LT(0, kept);
	ASSERT_EQ(0, madvise(self->buffer, PAGE, MADV_DONTNEED));
	EXPECT_GE(2, first(self->buffer));
	before = query();
	burn(30);
	after = stop();
	EXPECT_EQ(PROFIL_STATE_ON, after.state);
	EXPECT_LE(after.books.binned - before.books.binned,
		  first(self->buffer));
	EXPECT_GE(after.books.binned - kept, first(self->buffer));
}

TEST_F(mapping, new_mapping_at_address_is_counted_in)
{
	struct profil_status status;
	uint64_t before, after;
	char *page;
	int fd;

	fd = memfd_create("other", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, PAGE));
	before = query().books.binned;
	ASSERT_EQ(self->buffer, mmap(self->buffer, PAGE, PROT_READ | PROT_WRITE,
				     MAP_FIXED | MAP_SHARED, fd, 0));
	after = query().books.binned;
	burn(30);
	status = stop();
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT_LE(30, first(page));
	EXPECT_GE(status.books.binned - before, first(page));
	EXPECT_LE(status.books.binned - after, first(page));
	munmap(page, PAGE);
	close(fd);
}

TEST_F(mapping, moved_away_is_off)
{
	char *to = map_buffer(PAGE);
	uint64_t moved;

	ASSERT_EQ(to, mremap(self->buffer, PAGE, PAGE,
			     MREMAP_MAYMOVE | MREMAP_FIXED, to));
	moved = first(to);
	EXPECT_EQ(PROFIL_REASON_UNMAPPED, reason_of_off());
	EXPECT_EQ(moved, first(to));
	munmap(to, PAGE);
}

TEST_F(mapping, partly_unmapped_is_off)
{
	struct profil_region region = hot_region(self->buffer, 8);

	region.size = 4 * PAGE;
	ASSERT_EQ(0, set_region(region));
	burn(3);
	ASSERT_EQ(0, munmap(self->buffer + 3 * PAGE, PAGE));
	EXPECT_EQ(PROFIL_REASON_UNMAPPED, reason_of_off());
}

TEST_F(mapping, becoming_a_shared_file_is_off)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	uint32_t reason;

	ASSERT_LE(0, fd);
	ASSERT_EQ(self->buffer, mmap(self->buffer, PAGE, PROT_READ,
				     MAP_FIXED | MAP_SHARED, fd, 0));
	reason = reason_of_off();
	EXPECT_EQ(PROFIL_REASON_READONLY, reason);
	close(fd);
}

/* Threads tick while another one keeps discarding the page. */
TEST_F(mapping, a_storm_of_discards_loses_no_sample)
{
	pthread_t threads[2];
	struct profil_status status;
	int i;

	burners_start(threads, 2);
	while (query().books.seen < 300) {
		for (i = 0; i < 50; i++)
			madvise(self->buffer, PAGE, MADV_DONTNEED);
		hot_a(20000);
	}
	burners_end(threads, 2);
	status = query();
	EXPECT_EQ(PROFIL_STATE_ON, status.state);
	EXPECT_EQ(0, status.books.pending);
	EXPECT_BALANCED(&status);
}

TEST_HARNESS_MAIN
