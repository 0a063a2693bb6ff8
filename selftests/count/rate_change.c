// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile with a rate goes or is replaced while its timer comes all the time.
 */
#include <sys/resource.h>

#include "machine_test.h"
#include "observe_test.h"

#define RATE	100000		/* the most that root may have */
#define ROUNDS	20000
#define MOST_NS	100000000000ULL	/* where each STOP waits long for RCU */

FIXTURE(rate_change) {
	void *buffer;
	struct profil_region region;
	struct profil_set set;
};

FIXTURE_SETUP(rate_change)
{
	NEED_FINE_TIMERS();
	self->buffer = map_buffer(16 * PAGE);
	self->region = hot_region(self->buffer, 4);
	self->set = (struct profil_set) {
		.size = sizeof(self->set),
		.regions = addr(&self->region),
		.nr_regions = 1,
		.region_size = sizeof(self->region),
		.rate_hz = RATE,
	};
}

FIXTURE_TEARDOWN(rate_change)
{
	stop();
	munmap(self->buffer, 16 * PAGE);
}

/* A sample that meets a profile that was just stopped is for no profile. */
TEST_F(rate_change, stop_in_its_own_interrupt)
{
	uint64_t end = monotonic_ns() + MOST_NS;
	struct profil_status status;
	int i;

	for (i = 0; i < ROUNDS && monotonic_ns() < end; i++) {
		ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
		status = stop();
		ASSERT_TRUE(balanced(&status.books));
	}
}

/* A sample that meets a profile that was just replaced is for the new one. */
TEST_F(rate_change, replace_in_its_own_interrupt)
{
	uint64_t seen = 0, end = monotonic_ns() + MOST_NS;
	struct profil_status status;
	int i;

	for (i = 0; i < ROUNDS && monotonic_ns() < end; i++)
		ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
	burn_ms(100);
	status = stop();
	seen = status.books.seen;
	TH_LOG("%llu seen", (unsigned long long)seen);
	EXPECT_TRUE(balanced(&status.books));
	EXPECT_LT(0, seen);
}

/* Threads on other CPUs are sampled meanwhile. */
TEST_F(rate_change, stop_beside_busy_threads)
{
	pthread_t threads[4];
	int i;

	burners_start(threads, 4);
	for (i = 0; i < ROUNDS / 10; i++) {
		ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
		stop();
	}
	burners_end(threads, 4);
}

static struct {
	volatile int runs, over;
	volatile unsigned long rounds;
	volatile long switches;
} other;

static int burn_alone(void *unused)
{
	struct rusage usage;

	if (run_alone_on(1))
		return 1;
	other.runs = 1;
	while (!other.over) {
		hot_b(10000);
		getrusage(RUSAGE_SELF, &usage);
		other.switches = usage.ru_nvcsw + usage.ru_nivcsw;
		other.rounds++;
	}
	return 0;
}

static long switches_of_other(void)
{
	unsigned long begin = other.rounds;

	while (other.rounds < begin + 2)
		;
	return other.switches;
}

/* The bins are zero before. */
static bool sampled_before_switch(struct profil_set *set, void *buffer)
{
	long switches = switches_of_other();

	if (do_ioctl(PROFIL_IOC_SET, set))
		return false;
	while (!hot_sum(buffer, 4))
		if (other.switches != switches)
			return false;
	return switches_of_other() == switches;
}

/* A process that runs is sampled by the call itself, and not by its next switch. */
TEST_F(rate_change, set_begins_in_processes_of_the_memory)
{
	static char stack[16 * PAGE] __attribute__((aligned(16)));
	bool sampled = false;
	pid_t pid;
	int tries;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is one CPU");
	pin_to(0);
	pid = clone(burn_alone, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	ASSERT_LT(0, pid);
	while (!other.runs)
		usleep(1000);
	self->set.rate_hz = 1000;
	for (tries = 0; tries < 30 && !sampled; tries++) {
		sampled = sampled_before_switch(&self->set, self->buffer);
		stop();
		/* A timer that a switch has set lapses. */
		usleep(100000);
		memset(self->buffer, 0, 16 * PAGE);
	}
	other.over = 1;
	EXPECT_EQ(0, end_of(pid));
	TH_LOG("%s, %d tries", sampled ? "sampled" : "not sampled", tries);
	EXPECT_TRUE(sampled);
}

#define SETS	300

static int asleep[2];

static void *sleep_on_cpu_1(void *unused)
{
	char byte = 0;

	pin_to(1);
	write(asleep[1], &byte, 1);
	/* Until the process ends. */
	return (void *)(long)pause();
}

/* Interrupts of CPU 1 by some calls; a kernel's own threads are woken by some too. */
static long calls_by_sets(struct profil_set *set)
{
	long calls;
	int i;

	if (do_ioctl(PROFIL_IOC_SET, set))
		return -1;
	calls = function_calls(1);
	for (i = 0; i < SETS; i++)
		if (do_ioctl(PROFIL_IOC_SET, set))
			return -1;
	return function_calls(1) - calls;
}

/* A thread that sleeps is sampled from its next switch on. */
TEST_F(rate_change, set_interrupts_no_cpu_of_a_sleeper)
{
	long without, with;
	pthread_t thread;
	pid_t busy;
	char byte;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is one CPU");
	ASSERT_EQ(0, pipe(asleep));
	pin_to(0);
	busy = keep_cpu_1_busy();
	self->set.rate_hz = 1000;
	without = calls_by_sets(&self->set);
	ASSERT_EQ(0, pthread_create(&thread, NULL, sleep_on_cpu_1, NULL));
	ASSERT_EQ(1, read(asleep[0], &byte, 1));
	usleep(100000);
	with = calls_by_sets(&self->set);
	TH_LOG("%ld interrupts of another CPU in %d SETs, %ld without the thread",
	       with, SETS, without);
	EXPECT_LE(0, without);
	EXPECT_GT(without + SETS / 2, with);
	kill(busy, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(busy));
}

TEST_HARNESS_MAIN
