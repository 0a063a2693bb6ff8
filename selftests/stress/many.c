// SPDX-License-Identifier: GPL-2.0-only
/*
 * Repetition, for faults that show once in 100,000 times: sets and stops,
 * threads, samples in one counter.
 *
 * MANY=N is how often: with 500 they are 100,000 sets, 1,000,000 threads and
 * 70,000 samples.
 */
#include <sys/syscall.h>

#include "account_test.h"
#include "machine_test.h"

#define SETS	200
#define THREADS	2000
#define SAMPLES	140

#define MAKERS	4	/* of threads */
#define PAGES	8
#define MAX	65535

FIXTURE(many) {
	char *buffer;
	long times;
};

FIXTURE_SETUP(many)
{
	self->buffer = map_buffer(PAGES * PAGE);
	self->times = number("MANY", 1);
}

FIXTURE_TEARDOWN(many)
{
	stop();
	munmap(self->buffer, PAGES * PAGE);
}

/* A child with a copy of all, which is killed at any point. */
static void kill_one(int i)
{
	pid_t pid = fork();

	while (!pid)
		hot_a(100000);
	usleep(i % 7 * 3000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F_TIMEOUT(many, sets_and_stops_give_every_page_back, 1000000)
{
	long before = locked(), pins = pinned_at_rest(), i;
	struct profil_region region = hot_region(self->buffer, 8);

	ASSERT_LE(0, pins);
	for (i = 0; i < SETS * self->times; i++) {
		region.size = (1 + i % PAGES) * PAGE;
		ASSERT_EQ(0, set_region(region));
		ASSERT_EQ(before + 1 + i % PAGES, locked());
		if (i % 5 == 0)
			madvise(self->buffer, PAGES * PAGE, MADV_DONTNEED);
		if (i % 3 == 0)
			stop();
		if (i % 100 == 98)
			kill_one(i);
	}
	stop();
	EXPECT_EQ(before, locked());
	EXPECT_TRUE(pinned_again(pins));
}

static void *short_thread(void *counter)
{
	struct profil_region region = all_region(counter, 8);
	static unsigned int nr;
	unsigned int n = __sync_fetch_and_add(&nr, 1);

	if (n % 4 == 0 && set_flags(&region, 1, PROFIL_F_THREAD))
		return NULL;
	hot_b(n % 7 * 200);
	if (n % 8 == 0)
		ask(PROFIL_IOC_STOP, PROFIL_F_THREAD, NULL, 0);
	return counter;
}

static void *exec_or_exit(void *how)
{
	hot_b(10000);
	if (how)
		execl("/bin/true", "true", NULL);
	_exit(0);
}

/* The first thread ends while another thread ends the process. */
static bool end_at_once(int i)
{
	pthread_t thread;
	int status;
	pid_t pid = fork();

	if (!pid) {
		short_thread(map_buffer(PAGE));
		if (pthread_create(&thread, NULL, exec_or_exit,
				   i % 2 ? "exec" : NULL))
			_exit(1);
		hot_a(i % 11 * 1000);
		syscall(SYS_exit, 0);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

struct maker {
	char *counter;
	long nr;
	long failed;
};

static void *maker(void *arg)
{
	struct maker *maker = arg;
	pthread_t thread;
	void *done;
	long i;

	for (i = 0; i < maker->nr; i++) {
		if (pthread_create(&thread, NULL, short_thread,
				   maker->counter) ||
		    pthread_join(thread, &done) || !done)
			maker->failed++;
		if (i % 400 == 399 && !end_at_once(i / 400))
			maker->failed++;
	}
	return NULL;
}

TEST_F_TIMEOUT(many, threads_come_and_go_and_leave_nothing, 1000000)
{
	struct maker makers[MAKERS];
	struct profil_status status;
	pthread_t threads[MAKERS];
	int i;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	for (i = 0; i < MAKERS; i++) {
		makers[i] = (struct maker) {
			.counter = self->buffer + (1 + i) * PAGE,
			.nr = THREADS * self->times / MAKERS,
		};
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, maker,
					    &makers[i]));
	}
	for (i = 0; i < MAKERS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, makers[i].failed);
	}
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, counter(self->buffer, 8, 0));
	for (i = 0; i < 1000 && listed(); i++)
		usleep(10000);
	EXPECT_EQ(0, listed());
}

/* Which has room for nearly as many. */
TEST_F_TIMEOUT(many, samples_in_one_16_bit_counter_stay_in_it, 1000000)
{
	uint64_t samples = SAMPLES * self->times;
	uint64_t begin = samples < 70000 ? MAX - samples * MAX / 70000 : 0;
	uint16_t *counters = (uint16_t *)self->buffer;
	struct profil_status status;
	pthread_t threads[4];

	counters[1] = begin;
	ASSERT_EQ(0, set_region(all_region(&counters[1], 2)));
	burners_start(threads, 4);
	while (query().books.seen < samples)
		usleep(10000);
	burners_end(threads, 4);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(0, counter(counters, 2, 0));
	EXPECT_EQ(MAX, counter(counters, 2, 1));
	EXPECT_EQ(0, counter(counters, 2, 2));
	EXPECT_LT(0, status.books.saturated);
	EXPECT_EQ(MAX - begin, status.books.binned - status.books.saturated);
}

TEST_HARNESS_MAIN
