// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that can be pinned: memfds until they are sealed, huge pages, and
 * pages with many mappings.
 */
#include <sys/syscall.h>

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
	 * wait_ticks() sleeps from tick to tick, so run across one between two.
	 * A tick may end the profile at any time, and then no sample is seen.
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

#define NR_HUGE		4
#define WHOLE		(HUGE / PAGE)

/* One counter in each of some huge pages. */
static int set_in_each_flags(char *pages, int nr, uint32_t flags)
{
	struct profil_region regions[NR_HUGE];
	int i;

	for (i = 0; i < nr; i++) {
		regions[i] = hot_region(pages + i * HUGE, 8);
		regions[i].size = 8;
	}
	return set_flags(regions, nr, flags);
}

static int set_in_each(char *pages, int nr)
{
	return set_in_each_flags(pages, nr, 0);
}

/* Two count as the pages that are used, the others whole. */
static void expect_whole(struct __test_metadata *_metadata, char *pages,
			 char *(*map)(void))
{
	EXPECT_EQ(0, set_in_each(pages, 2));
	EXPECT_EQ(2, locked());
	EXPECT_EQ(0, set_in_each(pages, 3));
	EXPECT_EQ(2 + WHOLE, locked());
	EXPECT_EQ(0, set_in_each(pages, 4));
	EXPECT_EQ(2 + 2 * WHOLE, locked());
	EXPECT_EQ(0, set_in_each(pages, 1));
	EXPECT_EQ(1, locked());
	stop();
	EXPECT_EQ(0, locked());
	EXPECT_CHILD({
		/* A fork leaves a child small pages where they are pinned. */
		pages = map();
		drop_rights((2 + WHOLE) * PAGE - 1);
		if (set_in_each(pages, 3) != ENOMEM || locked())
			_exit(1);
		if (set_in_each(pages, 2) || locked() != 2)
			_exit(2);
	});
}

static char *map_hugetlb(void)
{
	return mmap(NULL, NR_HUGE * HUGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB,
		    -1, 0);
}

TEST_F(pinnable, hugetlb_pages_are_charged_whole_but_two)
{
	char *pages;

	if (system("echo 12 2>&1 >/proc/sys/vm/nr_hugepages"))
		SKIP(return, "a kernel without huge pages");
	pages = map_hugetlb();
	ASSERT_NE(MAP_FAILED, pages);
	expect_whole(_metadata, pages, map_hugetlb);
	munmap(pages, NR_HUGE * HUGE);
	ASSERT_EQ(0, system("echo 0 >/proc/sys/vm/nr_hugepages"));
}

/* Are all pages huge?  The kernel falls back to small ones if memory is split. */
static bool has_huge_pages(void)
{
	char line[200];
	int kib = 0;
	FILE *f;

	f = fopen("/proc/self/smaps_rollup", "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "AnonHugePages: %d", &kib);
	if (f)
		fclose(f);
	return kib * 1024UL >= NR_HUGE * HUGE;
}

/* Transparent huge pages, aligned; NULL if the kernel has no such pages. */
static char *map_transparent(void)
{
	char *map = map_buffer((NR_HUGE + 1) * HUGE);
	char *pages = map + (-addr(map) & (HUGE - 1));

	if (madvise(pages, NR_HUGE * HUGE, MADV_HUGEPAGE))
		return NULL;
	memset(pages, 1, NR_HUGE * HUGE);
	return has_huge_pages() ? pages : NULL;
}

TEST_F(pinnable, thp_pages_are_charged_whole_but_two)
{
	char *pages = map_transparent();

	if (!pages)
		SKIP(return, "no transparent huge pages");
	expect_whole(_metadata, pages, map_transparent);
}

/* A process may have thousands of threads. */
TEST_F(pinnable, thp_of_a_threads_profile_charged_whole)
{
	char *pages = map_transparent();

	if (!pages)
		SKIP(return, "no transparent huge pages");
	EXPECT_EQ(0, set_in_each_flags(pages, 2, PROFIL_F_THREAD));
	EXPECT_EQ(2 * WHOLE, locked());
	ask(PROFIL_IOC_STOP, PROFIL_F_THREAD, NULL, 0);
	EXPECT_EQ(0, locked());
}

#define THREADS	4

/* Sets and ends the thread's profile often; returns how often it was refused. */
static void *set_again(void *page)
{
	long i, refused = 0;
	int err;

	for (i = 0; i < 200; i++) {
		err = set_in_each_flags(page, 1, PROFIL_F_THREAD);
		if (err && err != ENOMEM)
			_exit(2);
		refused += !!err;
		ask(PROFIL_IOC_STOP, PROFIL_F_THREAD, NULL, 0);
	}
	return (void *)refused;
}

/* Each thread has a counter in the same page, and memory is allowed for one. */
TEST_F(pinnable, thp_of_threads_at_once_leaves_no_charge)
{
	if (!map_transparent())
		SKIP(return, "no transparent huge pages");
	EXPECT_CHILD({
		char *pages = map_transparent();
		pthread_t threads[THREADS];
		long refused = 0;
		void *result;
		int i;

		drop_rights(WHOLE * PAGE + PAGE);
		for (i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, set_again,
				       pages + i * PAGE);
		for (i = 0; i < THREADS; i++) {
			pthread_join(threads[i], &result);
			refused += (long)result;
		}
		/* One is refused at times, not always; nothing stays charged. */
		if (refused == THREADS * 200 || locked())
			_exit(1);
	});
}

/* The counters are in one huge page: it counts once, as what is used of it. */
TEST_F(pinnable, regions_in_huge_page_share_its_charge)
{
	struct profil_region regions[NR_HUGE + 1];
	char *pages = map_transparent();
	int i;

	if (!pages)
		SKIP(return, "no transparent huge pages");
	for (i = 0; i <= NR_HUGE; i++) {
		regions[i] = hot_region(pages + (i < 2 ? i * HUGE :
						 2 * HUGE + i * PAGE), 8);
		regions[i].size = 8;
	}
	EXPECT_EQ(0, set_regions(regions, NR_HUGE + 1));
	EXPECT_EQ(2 + WHOLE, locked());
	stop();
	EXPECT_EQ(0, locked());
}

#define NO_HUGE_PAGES	77

/* Of three huge pages that are mapped later, one is more than allowed. */
static void count_in_later_pages(char *pages)
{
	struct profil_region regions[3] = {
		hot_region(pages, 8),
		hot_region(pages + HUGE, 8),
		all_region(pages + 2 * HUGE, 8),
	};
	struct profil_region_status each[3];
	int i, nr_off = 0;

	/* A counter for each of the two functions. */
	regions[0].offset = addr(hot_a);
	regions[1].offset = addr(hot_b);
	for (i = 0; i < 2; i++) {
		regions[i].size = 8;
		regions[i].scale = 0x2000;
	}
	drop_rights((2 + WHOLE) * PAGE - 1);
	if (madvise(pages, NR_HUGE * HUGE, MADV_NOHUGEPAGE) ||
	    madvise(pages, NR_HUGE * HUGE, MADV_DONTNEED) ||
	    set_regions(regions, 3) || locked() != 3)
		_exit(1);
	if (mmap(pages, NR_HUGE * HUGE, PROT_READ | PROT_WRITE, MAP_FIXED |
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != pages ||
	    madvise(pages, NR_HUGE * HUGE, MADV_HUGEPAGE))
		_exit(2);
	memset(pages, 0, NR_HUGE * HUGE);
	if (!has_huge_pages())
		_exit(NO_HUGE_PAGES);
	/* Workers of a busy machine come late. */
	for (i = 0; i < 20000 && !nr_off; i++) {
		hot_a(100000);
		hot_b(100000);
		syscall(SYS_getpid);
		ask(PROFIL_IOC_QUERY, 0, each, 3);
		nr_off = !each[0].state + !each[1].state + !each[2].state;
	}
	if (nr_off != 1 || locked() != 2)
		_exit(3);
	for (i = 0; i < 3; i++)
		if (!each[i].state && each[i].reason != PROFIL_REASON_MEMLOCK)
			_exit(4);
}

TEST_F(pinnable, huge_pages_that_come_later_are_charged)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		char *pages = map_transparent();

		if (!pages)
			_exit(NO_HUGE_PAGES);
		count_in_later_pages(pages);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_HUGE_PAGES)
		SKIP(return, "no transparent huge pages");
	EXPECT_EQ(0, status);
}

/*
 * Each pin counts 1024 times: here 3/4 of what the page's count has room for.
 */
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
