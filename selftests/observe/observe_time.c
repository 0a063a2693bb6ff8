// SPDX-License-Identifier: GPL-2.0-only
/* The CPU time that a half tells: from the JOIN on, and never less than before. */
#include "observe_test.h"
#include "turns_test.h"

FIXTURE(observe_time) {
	struct observer *o;
};

FIXTURE_SETUP(observe_time)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
}

FIXTURE_TEARDOWN(observe_time)
{
	free(self->o);
}

/* burn_ms() is for the time of all threads. */
static void burn_thread_ms(unsigned int ms)
{
	struct timespec now;
	uint64_t end = 0, at;

	do {
		hot_a(2000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		at = now.tv_sec * 1000000000ULL + now.tv_nsec;
		if (!end)
			end = at + ms * 1000000ULL;
	} while (at < end);
}

static void *wait_for_end(void *unused)
{
	pause();
	return NULL;
}

#define IDLE	2000
#define WORKERS	50
#define OLD	200

static pthread_barrier_t all_have_worked;

static void *work_and_wait(void *unused)
{
	burn_thread_ms(10);
	pthread_barrier_wait(&all_have_worked);
	return NULL;
}

/* Threads that have worked end together, beside many that are long to look at. */
static void end_in_groups(void)
{
	pthread_t threads[WORKERS];
	pthread_attr_t attr;
	int i, round;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16 << 10);
	for (i = 0; i < IDLE; i++)
		if (pthread_create(&threads[0], &attr, wait_for_end, NULL))
			_exit(1);
	for (round = 0; round < 10; round++) {
		pthread_barrier_init(&all_have_worked, NULL, WORKERS);
		for (i = 0; i < WORKERS; i++)
			if (pthread_create(&threads[i], &attr, work_and_wait, NULL))
				_exit(2);
		for (i = 0; i < WORKERS; i++)
			pthread_join(threads[i], NULL);
	}
}

/* It ends with its parent at the latest. */
static pid_t fork_bound(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Processes that have worked end all the time, and stand behind many idle ones. */
static void end_behind_many(void)
{
	int i, go[2];
	char c;

	if (pipe(go))
		_exit(1);
	for (i = 0; i < OLD; i++) {
		if (fork_bound())
			continue;
		if (read(go[0], &c, 1) == 1)
			burn_thread_ms(10);
		_exit(0);
	}
	for (i = 0; i < IDLE / 2; i++)
		while (!fork_bound())
			pause();
	while (!fork_bound())
		for (;;)
			if (!fork())
				_exit(0);
			else
				wait(NULL);
	for (i = 0; i < OLD; i++)
		if (write(go[1], "", 1) != 1 || wait(NULL) < 0)
			_exit(2);
}

static void expect_never_back(struct __test_metadata *_metadata,
			      struct observer *o, void (*run)(void),
			      unsigned int least_ms)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	uint64_t last = 0, now, back = 0;
	unsigned long swaps;
	pid_t pid, end = 0;
	int status;

	ASSERT_EQ(0, observe_open(o, 100, 0));
	pid = observe_start(o, 0, run);
	for (swaps = 0; !end; swaps++) {
		end = waitpid(pid, &status, WNOHANG);
		ASSERT_EQ(0, ioctl(o->fd, PROFIL_IOC_SWAP, &swap));
		now = o->map->half[swap.quiet].cpu_ns;
		if (now + back < last)
			back = last - now;
		last = now;
	}
	ASSERT_EQ(pid, end);
	EXPECT_EQ(0, status);
	TH_LOG("%lu swaps, %llu ms at last, back by %llu us at most", swaps,
	       (unsigned long long)last / 1000000,
	       (unsigned long long)back / 1000);
	EXPECT_EQ(0, back);
	EXPECT_LT(least_ms, last / 1000000);
	observe_close(o);
}

/* Starts a process that works, waits to be joined, and works again. */
static pid_t start_worker(int *ready, int *go)
{
	int to[2], from[2];
	pid_t pid;
	char c;

	if (pipe(to) || pipe(from))
		return -1;
	pid = fork();
	if (!pid) {
		burn_ms(300);
		FAIL_UNLESS(write(from[1], "", 1) == 1);
		FAIL_UNLESS(read(to[0], &c, 1) == 1);
		burn_ms(200);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	*go = to[1];
	*ready = from[0];
	return pid;
}

static uint64_t swap_ms(struct observer *o)
{
	uint64_t ns[2];

	observe_read(o);
	ns[0] = o->map->half[0].cpu_ns;
	ns[1] = o->map->half[1].cpu_ns;
	return (ns[0] > ns[1] ? ns[0] : ns[1]) / 1000000;
}

/* Work before the JOIN has no sample, and is in no book. */
TEST_F(observe_time, books_begin_at_the_join)
{
	struct observer *o = self->o;
	int ready = -1, go = -1;
	uint64_t ms;
	pid_t pid;
	char c;

	ASSERT_EQ(0, observe_open(o, 1000, 0));
	pid = start_worker(&ready, &go);
	ASSERT_EQ(1, read(ready, &c, 1));
	EXPECT_EQ(0, observe_join_pid(o->fd, pid));
	EXPECT_GT(100, swap_ms(o));
	EXPECT_GT(100, o->sum.seen);
	EXPECT_EQ(1, write(go, "", 1));
	EXPECT_EQ(0, end_of(pid));
	ms = swap_ms(o);
	TH_LOG("%llu ms, %llu seen, %llu lost", (unsigned long long)ms,
	       (unsigned long long)o->sum.seen, (unsigned long long)o->sum.lost);
	EXPECT_LE(200, ms);
	EXPECT_GT(400, ms);
	EXPECT_TRUE(o->balanced);
	/* The gaps are exponential: within 4 sigma. */
	EXPECT_LT(ms * 2 / 3, o->sum.seen + o->sum.lost);
	EXPECT_GT(ms * 4 / 3 + o->sum.lost, o->sum.seen);
	close(ready);
	close(go);
	observe_close(o);
}

#define SWAPS		600000
#define STOPS		(SWAPS / 10000)
#define TOO_MUCH_NS	1500000		/* a tick is 4,000,000 as a rule */

/*
 * How often an observer begins to tell more CPU time than the clock of its process.
 * A SWAP never tells less than the one before, so it stays until the clock is there.
 */
static unsigned int times_above_clock(struct __test_metadata *_metadata,
				      struct observer *o)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	uint64_t begin, now, told, most = 0;
	bool above = false;
	unsigned int i, nr = 0;

	FAIL_UNLESS(!observe_open(o, 100, 0));
	begin = cpu_ns();
	FAIL_UNLESS(!observe_join(o->fd, 0, 0, 0));
	for (i = 0; i < SWAPS; i++) {
		FAIL_UNLESS(!ioctl(o->fd, PROFIL_IOC_SWAP, &swap));
		told = o->map->half[swap.quiet].cpu_ns;
		now = cpu_ns() - begin;
		if (told > now && told - now > most)
			most = told - now;
		nr += !above && told > now + TOO_MUCH_NS;
		above = told > now + TOO_MUCH_NS;
	}
	TH_LOG("%u times too much, by %llu ns at most", nr,
	       (unsigned long long)most);
	return nr;
}

/*
 * A tick between the parts of the sum would be told twice, in 8 of 1,000.  The
 * kernel gives the time between a wakeup and the switch to the next thread, and the
 * machine may stand still there, in fewer.
 */
TEST_F(observe_time, own_time_is_never_told_too_high)
{
	pid_t pid = fork_bound();

	if (!pid)
		_exit(times_above_clock(_metadata, self->o) > STOPS);
	EXPECT_EQ(0, end_of(pid));
}

static uint64_t ask_observer(void *arg)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	struct observer *o = arg;

	return ioctl(o->fd, PROFIL_IOC_SWAP, &swap) ?
	       0 : o->map->half[swap.quiet].cpu_ns;
}

static uint64_t back_of_own(struct __test_metadata *_metadata, struct observer *o)
{
	FAIL_UNLESS(!observe_open(o, 100, 0));
	FAIL_UNLESS(!observe_join(o->fd, 0, 0, 0));
	return back_between_threads(ask_observer, o);
}

TEST_F(observe_time, cpu_time_never_goes_back_between_threads)
{
	pid_t pid = fork_bound();

	if (!pid)
		_exit(back_of_own(_metadata, self->o) != 0);
	EXPECT_EQ(0, end_of(pid));
}

TEST_F(observe_time, cpu_time_never_goes_back)
{
	expect_never_back(_metadata, self->o, end_in_groups, WORKERS * 10 * 10);
}

TEST_F(observe_time, cpu_time_never_goes_back_in_a_storm)
{
	expect_never_back(_metadata, self->o, end_behind_many, OLD * 10);
}

TEST_HARNESS_MAIN
