// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "Counting": every tick of a running thread is one sample, in the
 * bin that its pc belongs to, and the books balance.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>

#include "profil_test.h"
#include "turns_test.h"

#define SAMPLES	2000

FIXTURE(counting) {
	void *buffer;
	struct profil_region region;
};

FIXTURE_VARIANT(counting) {
	uint32_t width;
};

FIXTURE_VARIANT_ADD(counting, bits16) { .width = 2, };
FIXTURE_VARIANT_ADD(counting, bits32) { .width = 4, };
FIXTURE_VARIANT_ADD(counting, bits64) { .width = 8, };

FIXTURE_SETUP(counting)
{
	self->buffer = map_buffer(16 * PAGE);
	self->region = hot_region(self->buffer, variant->width);
}

FIXTURE_TEARDOWN(counting)
{
	stop();
	munmap(self->buffer, 16 * PAGE);
}

/* Samples in the bins of a function that is a multiple of 64 bytes. */
static uint64_t samples_in(const void *buffer, uint32_t width,
			   void (*function)(unsigned long))
{
	size_t first = (addr((void *)function) - addr(__start_hot)) / width;

	return sum(buffer + first * width, width, 64);
}

TEST_F(counting, shares_of_two_functions_are_as_3_to_1)
{
	struct profil_status status;
	uint64_t a, b;

	ASSERT_EQ(0, set_region(self->region));
	do {
		int i;

		/* A query is slow on a debug kernel. */
		for (i = 0; i < 10; i++) {
			/*
			 * Pieces of constant length could run in phase with
			 * the tick.
			 */
			unsigned long n = 10000 + rand() % 100000;

			hot_a(3 * n);
			hot_b(n);
		}
	} while (query().books.seen < SAMPLES);
	status = stop();

	a = samples_in(self->buffer, variant->width, hot_a);
	b = samples_in(self->buffer, variant->width, hot_b);
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, hot_sum(self->buffer, variant->width));
	EXPECT_EQ(a + b, status.books.binned);
	EXPECT_LT(status.books.seen * 9 / 10, status.books.binned);
	EXPECT_LE((a + b) * 70, a * 100);
	EXPECT_GE((a + b) * 80, a * 100);
}

/* A system call that takes long, made from text that is counted. */
HOT static long hot_syscall(long nr, long a, long b, long c)
{
	long ret;

#ifdef __x86_64__
	asm volatile("syscall\n\tnop" : "=a" (ret)
		     : "a" (nr), "D" (a), "S" (b), "d" (c)
		     : "rcx", "r11", "memory");
#elif defined(__i386__)
	asm volatile("int $0x80\n\tnop" : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c) : "memory");
#elif defined(__aarch64__)
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;
	register long x2 asm("x2") = c;

	asm volatile("svc #0\n\tnop" : "+r" (x0)
		     : "r" (x8), "r" (x1), "r" (x2) : "memory");
	ret = x0;
#else
	ret = syscall(nr, a, b, c);
#endif
	return ret;
}

static void syscalls_until(int fd, uint64_t n)
{
	static char sink[1 << 18];

	while (query().books.seen + query().books.excluded < n) {
		int i;

		for (i = 0; i < 25; i++)
			hot_syscall(SYS_read, fd, (long)sink, sizeof(sink));
	}
}

TEST_F(counting, time_in_a_system_call_stands_at_its_call)
{
	int fd = open("/dev/zero", O_RDONLY);
	struct profil_status status;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_region(self->region));
	syscalls_until(fd, 300);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, hot_sum(self->buffer, variant->width));
	EXPECT_LT(status.books.seen * 8 / 10, status.books.binned);
	EXPECT_EQ(0, samples_in(self->buffer, variant->width, hot_a));
	close(fd);
}

TEST_F(counting, user_only_leaves_ticks_in_the_kernel_out)
{
	int fd = open("/dev/zero", O_RDONLY);
	struct profil_status status;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_flags(&self->region, 1, PROFIL_F_USER_ONLY));
	syscalls_until(fd, 300);
	status = stop();
	EXPECT_BALANCED(&status);
	/* Emulators deliver many of the ticks on the way out of the kernel. */
	EXPECT_LT(100, status.books.excluded);
	EXPECT_EQ(status.books.binned, hot_sum(self->buffer, variant->width));
	close(fd);
}

TEST_F(counting, full_counter_stays_full_is_reported)
{
	struct profil_region region = all_region(self->buffer, variant->width);
	struct profil_status status;
	uint64_t *first = self->buffer;

	memset(self->buffer, 0, PAGE);
	memset(self->buffer, 0xff, variant->width);
	*(uint8_t *)self->buffer -= 5;
	ASSERT_EQ(0, set_region(region));
	burn(50);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned - 5, status.books.saturated);
	EXPECT_EQ(variant->width == 8 ? UINT64_MAX :
		  (1ULL << 8 * variant->width) - 1, *first);
	EXPECT_EQ(0, first[1]);
}

TEST_F(counting, a_pc_of_no_region_is_outside)
{
	struct profil_status status;

	self->region.offset = addr(__stop_hot);
	ASSERT_EQ(0, set_region(self->region));
	burn(50);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(0, status.books.binned);
	EXPECT_EQ(0, hot_sum(self->buffer, variant->width));
}

/* A pc below the offset must not be counted at the end of a huge buffer. */
TEST_F(counting, a_pc_below_the_offset_is_outside)
{
	struct profil_status status;

	self->region.offset = UINT64_MAX;
	self->region.size = 16 * PAGE;
	ASSERT_EQ(0, set_region(self->region));
	burn(20);
	status = stop();
	EXPECT_EQ(0, status.books.binned);
	EXPECT_EQ(0, sum(self->buffer, variant->width, 16 * PAGE));
}

/* 4.4BSD's formula loses the upper half of the difference. */
TEST_F(counting, a_pc_that_is_4_gib_off_is_outside)
{
	struct profil_status status;

	self->region.offset -= 1ULL << 32;
	ASSERT_EQ(0, set_region(self->region));
	burn(20);
	status = stop();
	EXPECT_EQ(0, status.books.binned);
	EXPECT_EQ(0, hot_sum(self->buffer, variant->width));
}

TEST_F(counting, tail_shorter_than_counter_is_ignored)
{
	struct profil_region region = self->region;
	uint32_t width = variant->width;

	/* One counter and a bit, over all of the text that is hot. */
	region.size = 2 * width - 1;
	region.scale = 1;
	ASSERT_EQ(0, set_region(region));
	burn(20);
	stop();
	EXPECT_LT(0, counter(self->buffer, width, 0));
	EXPECT_EQ(0, counter(self->buffer, width, 1));
}

TEST_F(counting, counters_cleared_while_counting)
{
	struct profil_status status;
	uint64_t taken = 0;

	ASSERT_EQ(0, set_region(all_region(self->buffer, variant->width)));
	do {
		hot_a(100000);
		switch (variant->width) {
		case 2:
			taken += __atomic_exchange_n((uint16_t *)self->buffer,
						     0, __ATOMIC_SEQ_CST);
			break;
		case 4:
			taken += __atomic_exchange_n((uint32_t *)self->buffer,
						     0, __ATOMIC_SEQ_CST);
			break;
		default:
			taken += __atomic_exchange_n((uint64_t *)self->buffer,
						     0, __ATOMIC_SEQ_CST);
		}
		status = query();
	} while (status.books.seen < 200);
	status = stop();
	taken += counter(self->buffer, variant->width, 0);
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, taken);
}

static uint64_t cpu_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

TEST_F(counting, cpu_time_is_reported_for_coverage)
{
	uint64_t outer = cpu_clock(), inner, used;

	ASSERT_EQ(0, set_region(self->region));
	inner = cpu_clock();
	burn(100);
	inner = cpu_clock() - inner;
	used = stop().books.cpu_ns;
	outer = cpu_clock() - outer;
	EXPECT_LE(inner, used);
	EXPECT_GE(outer, used);
}

/*
 * Nine of ten rounds have no tick, and without one the scheduler's own sum stays.
 * The clock of a guest may stand still in a round: then the kernel's own does, too.
 */
TEST_F(counting, cpu_time_between_two_ticks_is_told)
{
	int round, told = 0, moved = 0;
	uint64_t before;

	for (round = 0; round < 200; round++) {
		before = cpu_clock();
		hot_a(100000);
		moved += cpu_clock() > before;
		ASSERT_EQ(0, set_region(self->region));
		hot_a(100000);
		told += stop().books.cpu_ns > 0;
	}
	TH_LOG("told %d, the clock moved %d times", told, moved);
	EXPECT_LT(0, moved);
	EXPECT_LE(moved / 2, told);
}

static uint64_t ask_profile(void *unused)
{
	return query().books.cpu_ns;
}

TEST_F(counting, cpu_time_never_goes_back_between_threads)
{
	ASSERT_EQ(0, set_region(self->region));
	EXPECT_EQ(0, back_between_threads(ask_profile, NULL));
}

TEST_HARNESS_MAIN
