// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared memory that is a file only by name is counted in; and once it is
 * sealed no longer.  So are huge pages, and pages mapped often.
 */
#include "account_test.h"

#ifndef MAP_HUGE_2MB
#define MAP_HUGE_2MB	(21 << 26)
#endif

#define HUGE		(2UL << 20)

#define PLACES		4096UL
#define PLACES_REGIONS	384

FIXTURE(pinnable) {
};

FIXTURE_SETUP(pinnable)
{
}

FIXTURE_TEARDOWN(pinnable)
{
	stop();
}

TEST_F(pinnable, a_sealed_memfd_stays_as_it_is)
{
	int fd = memfd_create("sealed", MFD_ALLOW_SEALING);
	char *shared, *private;

	ASSERT_EQ(0, ftruncate(fd, PAGE));
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, set_region(all_region(shared, 8)));
	burn(3);
	/* While it can be written to it can't be sealed, mapped or pinned. */
	EXPECT_EQ(-1, fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	munmap(shared, PAGE);
	/*
	 * That sleeps from tick to tick: between two, run across one.  What one
	 * brings about may end the profile at any time, and then none is seen.
	 */
	while (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE))
		hot_a(10000000);
	stop();

	shared = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	private = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_NE(MAP_FAILED, private);
	EXPECT_EQ(EFAULT, set_region(all_region(shared, 8)));
	ASSERT_EQ(0, set_region(all_region(private, 8)));
	burn(3);
	EXPECT_EQ(stop().books.binned,
		  counter(private, 8, 0) - counter(shared, 8, 0));
	close(fd);
	munmap(shared, PAGE);
	munmap(private, PAGE);
}

TEST_F(pinnable, dev_zero_is_counted_in)
{
	static const int flags[] = { MAP_SHARED, MAP_PRIVATE };
	int fd = open("/dev/zero", O_RDWR);
	char *page;
	size_t i;

	ASSERT_LE(0, fd);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags[i], fd,
			    0);
		ASSERT_NE(MAP_FAILED, page);
		ASSERT_EQ(0, set_region(all_region(page, 8)));
		burn(3);
		EXPECT_EQ(stop().books.binned, counter(page, 8, 0));
		munmap(page, PAGE);
	}
	close(fd);
}

static char *map_huge(int flags)
{
	return mmap(NULL, HUGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS |
		    MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);
}

TEST_F(pinnable, shared_huge_pages_are_counted_in)
{
	char *page;

	if (system("echo 2 2>&1 >/proc/sys/vm/nr_hugepages"))
		SKIP(return, "a kernel without huge pages");
	page = map_huge(MAP_SHARED);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, set_region(all_region(page + HUGE - 8, 8)));
	burn(3);
	EXPECT_EQ(stop().books.binned, counter(page + HUGE - 8, 8, 0));
	munmap(page, HUGE);
	ASSERT_EQ(0, system("echo 0 >/proc/sys/vm/nr_hugepages"));
}

static int set_huge(int flags)
{
	struct profil_region region = hot_region(map_huge(flags), 8);

	region.size = HUGE;
	return set_region(region);
}

/* Not as the one page that they are to the kernel. */
TEST_F(pinnable, huge_pages_are_accounted_as_the_small_ones_in_them)
{
	static const int flags[] = { MAP_SHARED, MAP_PRIVATE };
	size_t i;

	if (system("echo 2 2>&1 >/proc/sys/vm/nr_hugepages"))
		SKIP(return, "a kernel without huge pages");
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		EXPECT_CHILD({
			drop_rights(HUGE - PAGE);
			if (set_huge(flags[i]) != ENOMEM)
				_exit(1);
		});
		EXPECT_CHILD({
			drop_rights(HUGE);
			if (set_huge(flags[i]) || locked() != HUGE / PAGE)
				_exit(2);
		});
	}
	ASSERT_EQ(0, system("echo 0 >/proc/sys/vm/nr_hugepages"));
}

/* Each pin counts 1024 times: here 3/4 of what the page's count has room for. */
TEST_F(pinnable, one_page_in_too_many_places_is_enomem)
{
	static struct profil_region regions[PLACES_REGIONS];
	const size_t size = PLACES * PAGE;
	int fd = memfd_create("one", 0);
	char *base, *place;
	size_t i;

	ASSERT_EQ(0, ftruncate(fd, PAGE));
	base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, base);
	for (place = base; place < base + size; place += PAGE)
		ASSERT_EQ(place, mmap(place, PAGE, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_FIXED, fd, 0));
	for (i = 0; i < PLACES_REGIONS; i++) {
		regions[i] = hot_region(base, 8);
		regions[i].size = size;
	}
	EXPECT_EQ(ENOMEM, set_regions(regions, PLACES_REGIONS));
	EXPECT_EQ(0, set_regions(regions, 1));
	stop();
	munmap(base, size);
	close(fd);
}

TEST_HARNESS_MAIN
