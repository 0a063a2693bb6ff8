// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "Threads" and "Counting": all threads share the counters, no
 * sample is lost, and a thread may have its own profile.
 */

#include <limits.h>
#include <sched.h>

#include "machine_test.h"

#define THREADS	8
#define MANY	14500

FIXTURE(threads) {
	char *buffer;
};

FIXTURE_SETUP(threads)
{
	self->buffer = map_buffer(16 * PAGE);
}

FIXTURE_TEARDOWN(threads)
{
	stop();
	munmap(self->buffer, 16 * PAGE);
}

static void run_threads(uint64_t samples)
{
	pthread_t threads[THREADS];

	burners_start(threads, THREADS);
	while (query().books.seen < samples)
		usleep(10000);
	burners_end(threads, THREADS);
}

TEST_F(threads, eight_threads_three_widths_lose_nothing)
{
	struct profil_region regions[3] = {
		hot_region(self->buffer, 2),
		hot_region(self->buffer + 4 * PAGE, 4),
		all_region(self->buffer + 8 * PAGE, 8),
	};
	struct profil_status status;

	/* hot_a in 16 bits, hot_b in 32, all other text in 64. */
	regions[0].offset = addr(hot_a);
	regions[0].size = 64;
	regions[1].offset = addr(hot_b);
	regions[1].size = 64;
	ASSERT_EQ(0, set_regions(regions, 3));
	run_threads(4000);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(0, status.books.outside);
	EXPECT_EQ(status.books.seen,
		  sum(self->buffer, 2, 64) +
		  sum(self->buffer + 4 * PAGE, 4, 64) +
		  counter(self->buffer + 8 * PAGE, 8, 0));
	EXPECT_LT(0, sum(self->buffer, 2, 64));
	EXPECT_LT(0, sum(self->buffer + 4 * PAGE, 4, 64));
}

TEST_F(threads, created_before_and_after_are_sampled)
{
	pthread_t before, after;
	struct profil_status status;

	burners_start(&before, 1);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	/* This thread sleeps, so each tick is one of the other thread. */
	while (query().books.seen < 100)
		usleep(10000);
	burners_start(&after, 1);
	while (query().books.seen < 300)
		usleep(10000);
	burners_end(&before, 1);
	burners_end(&after, 1);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, counter(self->buffer, 8, 0));
}

struct own {
	char *buffer;
	struct profil_status status;
	uint64_t sum;
};

static struct profil_status query_thread(void)
{
	return ask(PROFIL_IOC_QUERY, PROFIL_F_THREAD, NULL, 0);
}

static void burn_thread(uint64_t n)
{
	uint64_t end = query_thread().books.seen + n;

	while (query_thread().books.seen < end)
		hot_b(100000);
}

static void *with_own(void *arg)
{
	struct own *own = arg;
	struct profil_region region = all_region(own->buffer, 8);

	if (set_flags(&region, 1, PROFIL_F_THREAD))
		return NULL;
	burn_thread(100);
	own->status = query_thread();
	own->sum = counter(own->buffer, 8, 0);
	/* It ends with the thread, without a stop. */
	return arg;
}

TEST_F(threads, thread_profile_not_in_process_profile)
{
	struct own own = { .buffer = self->buffer + PAGE };
	struct profil_region region = hot_region(self->buffer, 2);
	struct profil_status status;
	pthread_t thread;
	uint64_t after;
	int tries;

	/* The process's region is hot_b, which only the thread runs. */
	region.offset = addr(hot_b);
	region.size = 64;
	ASSERT_EQ(0, set_region(region));
	ASSERT_EQ(0, pthread_create(&thread, NULL, with_own, &own));
	burn(50);
	pthread_join(thread, NULL);
	/* Its last ticks come after it has woken us. */
	for (tries = 0; tries < 300 && listed() != 1; tries++)
		usleep(10000);
	after = counter(own.buffer, 8, 0);
	burn(5);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_BALANCED(&own.status);
	EXPECT_GE(3, status.books.binned);
	EXPECT_LE(100, own.status.books.seen);
	EXPECT_LE(own.status.books.binned, own.sum);
	EXPECT_EQ(after, counter(own.buffer, 8, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, query_thread().state);
}

TEST_F(threads, stopped_thread_profile_rejoins_process)
{
	struct profil_region own = all_region(self->buffer + PAGE, 8);
	uint64_t mine;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	burn(5);
	ASSERT_EQ(0, set_flags(&own, 1, PROFIL_F_THREAD));
	burn_thread(20);
	mine = ask(PROFIL_IOC_STOP, PROFIL_F_THREAD, NULL, 0).books.binned;
	EXPECT_EQ(mine, counter(self->buffer + PAGE, 8, 0));
	burn(5);
	EXPECT_EQ(stop().books.binned, counter(self->buffer, 8, 0));
	EXPECT_EQ(mine, counter(self->buffer + PAGE, 8, 0));
}

TEST_F(threads, thread_profile_goes_on_in_forked_child)
{
	struct profil_region own = all_region(self->buffer, 8);

	ASSERT_EQ(0, set_flags(&own, 1, PROFIL_F_THREAD));
	burn_thread(10);
	EXPECT_CHILD({
		uint64_t before = counter(self->buffer, 8, 0);
		struct profil_status status;

		burn_thread(20);
		status = ask(PROFIL_IOC_STOP, PROFIL_F_THREAD, NULL, 0);
		if (!balanced(&status.books) || status.books.lost)
			_exit(1);
		if (counter(self->buffer, 8, 0) < before + 20)
			_exit(2);
	});
	EXPECT_EQ(ask(PROFIL_IOC_STOP, PROFIL_F_THREAD, NULL, 0).books.binned,
		  counter(self->buffer, 8, 0));
}

/* A reader with plain loads: never torn, never less than before. */
TEST_F(threads, a_second_reader_sees_counters_only_grow)
{
	static const uint32_t widths[] = { 2, 4, 8 };
	pthread_t thread;
	size_t i;

	for (i = 0; i < 3; i++) {
		uint64_t last = 0;

		memset(self->buffer, 0, 8);
		/*
		 * The next increment carries through all bytes, so that a torn
		 * load shows.
		 */
		memset(self->buffer, 0xff, widths[i] - 1);
		*(uint8_t *)self->buffer = 0x80;
		last = counter(self->buffer, widths[i], 0);
		ASSERT_EQ(0, set_region(all_region(self->buffer, widths[i])));
		burners_start(&thread, 1);
		while (query().books.seen < 300) {
			int n;

			for (n = 0; n < 10000; n++) {
				uint64_t now = counter(self->buffer,
						       widths[i], 0);

				ASSERT_LE(last, now);
				last = now;
			}
		}
		burners_end(&thread, 1);
		stop();
	}
}

static volatile uint64_t added;

static void *adder(void *counter)
{
	uint64_t n = 0;

	while (!enough) {
		__atomic_fetch_add((uint32_t *)counter, 1, __ATOMIC_SEQ_CST);
		n++;
	}
	added = n;
	return NULL;
}

TEST_F(threads, threads_adding_to_counter_lose_nothing)
{
	struct profil_status status;
	pthread_t thread;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 4)));
	enough = false;
	ASSERT_EQ(0, pthread_create(&thread, NULL, adder, self->buffer));
	burn(500);
	enough = true;
	pthread_join(thread, NULL);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ((uint32_t)(added + status.books.binned),
		  counter(self->buffer, 4, 0));
}

static volatile unsigned long ended;

static void *park(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *end(void *arg)
{
	return arg;
}

static void run_on(bool first)
{
	cpu_set_t cpus;
	int i;

	CPU_ZERO(&cpus);
	for (i = first ? 0 : 1; i < (first ? 1 : CPU_SETSIZE); i++)
		CPU_SET(i, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* One thread after another begins and ends. */
static void *churn(void *arg)
{
	pthread_t thread;

	run_on(false);
	for (;;) {
		if (pthread_create(&thread, NULL, end, NULL))
			continue;
		pthread_join(thread, NULL);
		__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
	}
	return arg;
}

#define QUESTIONS	100

/*
 * 0 if PROFIL_IOC_QUERY does not wait until fewer threads end.  A question is
 * late when 1,000 threads ended during it, as a few are on a loaded machine.
 */
static int ask_among(unsigned int many)
{
	pthread_attr_t attr;
	unsigned long before;
	pthread_t thread;
	unsigned int i, late = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	pthread_attr_setguardsize(&attr, 0);
	for (i = 0; i < many + 2; i++)
		if (pthread_create(&thread, &attr, i < many ? park : churn,
				   NULL))
			return 1;
	run_on(true);
	for (i = 0; i < QUESTIONS; i++) {
		before = ended;
		if (query().state != PROFIL_STATE_ON)
			return 2;
		late += ended - before > 1000;
	}
	return late > QUESTIONS / 2 ? 3 : 0;
}

static unsigned int limit(const char *name)
{
	FILE *file = fopen(name, "r");
	unsigned int max;

	if (fscanf(file, "%u", &max) != 1)
		max = 0;
	fclose(file);
	return max;
}

/* The limit of threads, less some for other programs. */
static unsigned int threads_max(void)
{
	unsigned int threads = limit("/proc/sys/kernel/threads-max");
	unsigned int pids = limit("/proc/sys/kernel/pid_max");

	return (threads < pids ? threads : pids) - 1000;
}

TEST_F(threads, query_not_delayed_by_thread_churn)
{
	unsigned int many = threads_max();
	pid_t pid;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one CPU");
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	pid = fork();
	if (!pid)
		_exit(ask_among(many < MANY ? many : MANY));
	EXPECT_EQ(0, end_of(pid));
}

static void *set_own(void *buffer)
{
	struct profil_region region = all_region(buffer, 8);

	return (void *)(intptr_t)set_flags(&region, 1, PROFIL_F_THREAD);
}

TEST_F(threads, a_threads_own_profile_ends_with_it)
{
	int before = listed(), tries;
	pthread_t thread;
	void *err;

	ASSERT_EQ(0, pthread_create(&thread, NULL, set_own, self->buffer));
	pthread_join(thread, &err);
	ASSERT_EQ(NULL, err);
	for (tries = 0; tries < 300 && listed() != before; tries++)
		usleep(10000);
	EXPECT_EQ(before, listed());
}

TEST_HARNESS_MAIN
