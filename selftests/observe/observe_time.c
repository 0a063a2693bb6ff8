// SPDX-License-Identifier: GPL-2.0-only
/* Ends by the thousand: the CPU time that a half tells never goes back. */
#include "observe_test.h"

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

TEST_F(observe_time, cpu_time_never_goes_back)
{
	expect_never_back(_metadata, self->o, end_in_groups, WORKERS * 10 * 10);
}

TEST_F(observe_time, cpu_time_never_goes_back_in_a_storm)
{
	expect_never_back(_metadata, self->o, end_behind_many, OLD * 10);
}

TEST_HARNESS_MAIN
