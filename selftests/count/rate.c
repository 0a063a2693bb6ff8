// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "A rate": with rate_hz a timer counts in the bins, fairly, and the
 * tick leaves them alone.
 */
#include "observe_test.h"

#define RATE	1000

FIXTURE(rate) {
	void *buffer;
	struct profil_region region;
};

FIXTURE_SETUP(rate)
{
	NEED_FINE_TIMERS();
	self->buffer = map_buffer(16 * PAGE);
	self->region = hot_region(self->buffer, 4);
}

FIXTURE_TEARDOWN(rate)
{
	stop();
	munmap(self->buffer, 16 * PAGE);
}

/* Within 4 standard deviations, and a fifth for timers that are late. */
static bool is_near(uint64_t seen, double due)
{
	double far = seen - due;

	far = far < 0 ? -far : far;
	far = far < due / 5 ? 0 : far - due / 5;
	return far * far < 16 * due;
}

#define EXPECT_NEAR(seen, due)						\
do {									\
	uint64_t __taken = (seen);					\
	double __due = (due);						\
									\
	TH_LOG("%llu of %.0f due", (unsigned long long)__taken, __due);	\
	EXPECT_TRUE(is_near(__taken, __due));				\
} while (0)

static uint64_t seen_in_ms(unsigned int ms, double *due)
{
	uint64_t seen = query().books.seen, begin = cpu_ns();

	burn_ms(ms);
	*due = (cpu_ns() - begin) / 1e9;
	return query().books.seen - seen;
}

TEST_F(rate, rate_is_that_of_cpu_time)
{
	struct profil_status status;
	double due;
	uint64_t seen;

	ASSERT_EQ(0, set_rated(self->region, RATE, 0));
	seen = seen_in_ms(2000, &due);
	EXPECT_NEAR(seen, due * RATE);
	status = stop();
	EXPECT_EQ(RATE, status.hz);
	EXPECT_TRUE(balanced(&status.books));
	EXPECT_EQ(status.books.binned, hot_sum(self->buffer, 4));
	EXPECT_LT((status.books.seen - status.books.lost) / 2,
		  status.books.binned);
	EXPECT_EQ(0, status.books.pending);
}

TEST_F(rate, slow_rate_is_not_the_ticks)
{
	double due;
	uint64_t seen;

	ASSERT_EQ(0, set_rated(self->region, 20, 0));
	seen = seen_in_ms(3000, &due);
	EXPECT_NEAR(seen, due * 20);
}

TEST_F(rate, tick_of_another_counts_beside_a_rate)
{
	struct profil_status status;
	void *other = map_buffer(16 * PAGE);
	int ready[2];
	double due;
	uint64_t seen;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		struct profil_info info = { .size = sizeof(info) };

		if (do_ioctl(PROFIL_IOC_INFO, &info) ||
		    set_region(hot_region(other, 4)))
			_exit(1);
		close(ready[1]);
		burn_ms(2000);
		status = stop();
		/* Each of its ticks, and no sample of the parent's timer. */
		_exit(status.hz != info.hz || !status.books.seen ||
		      status.books.seen > 3 * 2 * info.hz ||
		      !balanced(&status.books) ? 2 : 0);
	}
	close(ready[1]);
	EXPECT_EQ(0, read(ready[0], &ready[1], 1));
	ASSERT_EQ(0, set_rated(self->region, RATE, 0));
	seen = seen_in_ms(1000, &due);
	EXPECT_NEAR(seen, due * RATE);
	EXPECT_EQ(0, end_of(pid));
}

TEST_F(rate, profile_and_observer_have_their_shares)
{
	struct observer *o = calloc(1, sizeof(*o));
	double due;
	uint64_t seen;

	ASSERT_EQ(0, observe_open(o, 300, 0));
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	ASSERT_EQ(0, set_rated(self->region, RATE, 0));
	ASSERT_EQ(0, observe_read(o));
	o->sum.seen = 0;
	seen = seen_in_ms(3000, &due);
	ASSERT_EQ(0, observe_read(o));
	EXPECT_NEAR(seen, due * RATE);
	EXPECT_NEAR(o->sum.seen, due * 300);
	EXPECT_TRUE(o->balanced);
	observe_close(o);
	free(o);
}

/* A shot that was due for an observer is not the profile's when that ends. */
TEST_F(rate, observer_that_ends_leaves_no_sample)
{
	uint64_t seen;
	int i;

	ASSERT_EQ(0, set_rated(self->region, 1, 0));
	seen = query().books.seen;
	for (i = 0; i < 200; i++) {
		struct observer *o = calloc(1, sizeof(*o));

		ASSERT_EQ(0, observe_open(o, 1000, 0));
		ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
		burn_ms(2);
		observe_close(o);
		burn_ms(3);
		free(o);
	}
	EXPECT_GT(20, query().books.seen - seen);
}

TEST_F(rate, forked_child_has_the_rate)
{
	ASSERT_EQ(0, set_rated(self->region, RATE, 0));
	burn_ms(100);
	EXPECT_CHILD({
		uint64_t begin = cpu_ns();
		struct profil_status status;

		burn_ms(1000);
		status = stop();
		if (status.hz != RATE || !balanced(&status.books))
			_exit(1);
		if (!is_near(status.books.seen, (cpu_ns() - begin) / 1e9 * RATE))
			_exit(2);
	});
}

TEST_F(rate, vforked_child_counts_in_its_parents)
{
	uint64_t seen;
	pid_t pid;

	ASSERT_EQ(0, set_rated(self->region, RATE, 0));
	seen = query().books.seen;
	pid = vfork();
	if (!pid) {
		burn_ms(1000);
		_exit(0);
	}
	EXPECT_LT(300, query().books.seen - seen);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

static void *counts_alone(void *buffer)
{
	uint64_t begin, seen;

	if (set_rated(hot_region(buffer, 4), RATE, PROFIL_F_THREAD))
		return (void *)1;
	begin = cpu_ns();
	burn_ms(1000);
	/* No other thread of the process runs. */
	seen = ask(PROFIL_IOC_QUERY, PROFIL_F_THREAD, NULL, 0).books.seen;
	return (void *)(is_near(seen, (cpu_ns() - begin) / 1e9 * RATE) ? 0L : 2);
}

TEST_F(rate, thread_has_a_rate_of_its_own)
{
	void *own = map_buffer(16 * PAGE), *ret;
	struct profil_status status;
	pthread_t thread;

	ASSERT_EQ(0, set_region(self->region));
	ASSERT_EQ(0, pthread_create(&thread, NULL, counts_alone, own));
	ASSERT_EQ(0, pthread_join(thread, &ret));
	EXPECT_EQ(NULL, ret);
	EXPECT_LT(0, hot_sum(own, 4));
	/* The process's is the tick's still. */
	status = stop();
	EXPECT_EQ(PROFIL_STATE_ON, status.state);
	EXPECT_NE(RATE, status.hz);
	EXPECT_BALANCED(&status);
}

TEST_F(rate, thread_with_a_plain_profile_has_no_rate)
{
	uint64_t seen;

	ASSERT_EQ(0, set_rated(self->region, RATE, 0));
	ASSERT_EQ(0, set_flags(&self->region, 1, PROFIL_F_THREAD));
	seen = query().books.seen;
	burn_ms(500);
	EXPECT_EQ(seen, query().books.seen);
	EXPECT_LT(0, ask(PROFIL_IOC_STOP, PROFIL_F_THREAD, NULL, 0).books.seen);
}

/* At 10 kHz many are pending, and for a tick's time none switches it off. */
TEST_F(rate, remapped_buffer_is_counted_in_again)
{
	struct profil_status status;
	int i;

	ASSERT_EQ(0, set_rated(self->region, 10000, 0));
	/* Most samples are lost where the machine stands still. */
	for (i = 0; i < 50 || (i < 1000 && query().books.binned <= 200); i++) {
		ASSERT_EQ(self->buffer,
			  mmap(self->buffer, 16 * PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
		burn_ms(20);
		EXPECT_EQ(PROFIL_STATE_ON, query().state);
	}
	for (i = 0; i < 500 && !hot_sum(self->buffer, 4); i++)
		burn_ms(20);
	status = stop();
	EXPECT_EQ(PROFIL_STATE_ON, status.state);
	EXPECT_EQ(PROFIL_REASON_NONE, status.reason);
	EXPECT_TRUE(balanced(&status.books));
	EXPECT_EQ(0, status.books.pending);
	TH_LOG("%llu seen, %llu binned, %llu lost",
	       (unsigned long long)status.books.seen,
	       (unsigned long long)status.books.binned,
	       (unsigned long long)status.books.lost);
	EXPECT_LT(200, status.books.binned);
	EXPECT_LT(0, hot_sum(self->buffer, 4));
}

TEST_F(rate, user_only_leaves_the_kernel_out)
{
	struct profil_status status;
	char page[PAGE];
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	uint64_t end = cpu_ns() + 1000000000;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_rated(self->region, RATE, PROFIL_F_USER_ONLY));
	while (cpu_ns() < end)
		ASSERT_EQ(sizeof(page), read(fd, page, sizeof(page)));
	status = stop();
	EXPECT_LT(100, status.books.excluded);
	EXPECT_GT(status.books.excluded,
		  status.books.binned + status.books.outside);
	EXPECT_TRUE(balanced(&status.books));
	close(fd);
}

TEST_F(rate, stop_and_exec_end_the_rate)
{
	struct profil_status status;
	uint32_t sum;

	ASSERT_EQ(0, set_rated(self->region, RATE, 0));
	burn_ms(100);
	EXPECT_EQ(PROFIL_STATE_ON, stop().state);
	sum = hot_sum(self->buffer, 4);
	burn_ms(100);
	EXPECT_EQ(sum, hot_sum(self->buffer, 4));
	status = query();
	EXPECT_EQ(PROFIL_STATE_OFF, status.state);
	EXPECT_NE(RATE, status.hz);

	ASSERT_EQ(0, set_rated(self->region, RATE, 0));
	ASSERT_EQ(0, set_region(self->region));
	EXPECT_NE(RATE, query().hz);
	burn(50);
	EXPECT_CHILD({
		set_rated(self->region, RATE, 0);
		execl("/proc/self/exe", "rate", "--state", NULL);
		_exit(1);
	});
}

TEST_F(rate, rate_that_is_too_high_is_eperm)
{
	uint32_t max = observe_max_rate();

	EXPECT_LE(100000, max);
	EXPECT_EQ(EPERM, set_rated(self->region, max + 1, 0));
	EXPECT_EQ(EPERM, set_rated(self->region, UINT32_MAX, 0));
	EXPECT_EQ(0, set_rated(self->region, max, 0));
	EXPECT_EQ(PROFIL_STATE_ON, stop().state);
	EXPECT_CHILD({
		if (become_user(1000) ||
		    set_rated(self->region, 10001, 0) != EPERM ||
		    set_rated(self->region, 10000, 0))
			_exit(1);
	});
}

TEST_F(rate, info_tells_that_there_are_rates)
{
	struct profil_info info = { .size = sizeof(info) };
	struct profil_set set = {
		.size = sizeof(set),
		.regions = addr(&self->region),
		.nr_regions = 1,
		.region_size = sizeof(self->region),
		.rate_jitter = 1,
	};

	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_INFO, &info));
	EXPECT_TRUE(info.features & PROFIL_FEAT_RATE);
	EXPECT_EQ(EOPNOTSUPP, do_ioctl(PROFIL_IOC_SET, &set));
	set.rate_hz = RATE;
	EXPECT_EQ(EOPNOTSUPP, do_ioctl(PROFIL_IOC_SET, &set));
}

TEST_F(rate, sixty_four_threads_balance)
{
	struct profil_status status;
	pthread_t threads[64];
	int i;

	ASSERT_EQ(0, set_rated(self->region, 5000, 0));
	burners_start(threads, 64);
	for (i = 0; i < 30; i++) {
		usleep(50000);
		status = query();
		EXPECT_LE(status.books.binned + status.books.outside,
			  status.books.seen);
	}
	burners_end(threads, 64);
	status = stop();
	TH_LOG("seen %llu, lost %llu", (unsigned long long)status.books.seen,
	       (unsigned long long)status.books.lost);
	EXPECT_TRUE(balanced(&status.books));
	EXPECT_EQ(status.books.binned - status.books.saturated,
		  hot_sum(self->buffer, 4));
	EXPECT_LT(100, status.books.binned);
	EXPECT_NEAR(status.books.seen, status.books.cpu_ns / 1e9 * 5000);
}

int main(int argc, char **argv)
{
	/* After exec: no profile came along. */
	if (argc == 2 && !strcmp(argv[1], "--state"))
		return query().state != PROFIL_STATE_OFF;
	return test_harness_run(argc, argv);
}
