// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pending samples are kept: while real-time threads have every CPU, the
 * module's work items do not run, and pending pcs stay pending.
 */
#include <signal.h>
#include <stdio.h>

#include "starve_test.h"
#include "userfault_test.h"

#define WAITING	100	/* more than a profile can keep pending */
#define CHILDREN	5
#define FEW	4	/* of a quarter of WAITING */

FIXTURE(starved) {
	char *buffer;
};

FIXTURE_SETUP(starved)
{
	self->buffer = map_buffer(1 * PAGE);
}

FIXTURE_TEARDOWN(starved)
{
	stop();
	munmap(self->buffer, 1 * PAGE);
}

struct listed {
	int pid;
	unsigned int on;	/* regions */
	unsigned long long seen, lost;
};

/* The process's line in debugfs, which does not refresh as a query does. */
static struct listed listed_self(void)
{
	FILE *f = fopen("/sys/kernel/debug/profil/profiles", "r");
	struct listed own = { 0 }, one;
	char line[300];

	if (!f)
		exit(KSFT_FAIL);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%d %*u %u %*u %llu %*u %*u %llu", &one.pid,
			   &one.on, &one.seen, &one.lost) == 4 &&
		    one.pid == getpid())
			own = one;
	fclose(f);
	return own;
}

static uint64_t listed_seen(void)
{
	return listed_self().seen;
}

static void burn_unsettled(uint64_t n)
{
	uint64_t end = listed_seen() + n;

	while (listed_seen() < end)
		hot_a(200000);
}

TEST_F(starved, child_ticks_before_pin_are_kept)
{
	int wait_status;
	pid_t pid;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	if (take_all_cpus())
		SKIP(return, "no real-time threads");
	pid = fork();
	if (!pid) {
		uint64_t before = counter(self->buffer, 8, 0);
		struct profil_status status;

		burn_unsettled(WAITING);
		status = stop();
		if (!balanced(&status.books) || status.books.lost)
			_exit(1);
		if (status.books.binned < WAITING / 2)
			_exit(2);
		_exit(counter(self->buffer, 8, 0) - before <
		      WAITING / 2);
	}
	waitpid(pid, &wait_status, 0);
	give_cpus_back();
	EXPECT_EQ(0, wait_status);
}

#define EVENTS	"/sys/kernel/tracing/"
#define QUEUED	EVENTS "events/workqueue/workqueue_queue_work/enable"

/* How often a profile's work item was queued since the trace began. */
static int queued(void)
{
	FILE *f = fopen(EVENTS "trace", "r");
	char line[300];
	int n = 0;

	if (!f)
		exit(KSFT_FAIL);
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, "function=profil_work");
	fclose(f);
	return n;
}

static int queued_by_a_child(void)
{
	pid_t pid;
	int n;

	/* This clears the trace. */
	close(open(EVENTS "trace", O_WRONLY | O_TRUNC));
	pid = fork();
	if (!pid) {
		burn_unsettled(WAITING / 4);
		_exit(queued());
	}
	waitpid(pid, &n, 0);
	return WIFEXITED(n) ? WEXITSTATUS(n) : 0;
}

/* Else each tick queues it again, behind all work items of other profiles. */
TEST_F(starved, child_ticks_queue_one_refresh)
{
	int i, n[CHILDREN];

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	ASSERT_EQ(0, write_file(QUEUED, "1"));
	if (take_all_cpus()) {
		write_file(QUEUED, "0");
		SKIP(return, "no real-time threads");
	}
	/* Now and then the workers get a CPU for a moment. */
	for (i = 0; i < CHILDREN; i++)
		n[i] = queued_by_a_child();
	give_cpus_back();
	EXPECT_EQ(0, write_file(QUEUED, "0"));
	/* When the child is forked, and at its first tick. */
	for (i = 0; i < CHILDREN; i++) {
		EXPECT_LE(1, n[i]);
		EXPECT_GE(FEW, n[i]);
	}
}

/* An argument on a page that is not there yet, and the process to read it. */
struct late {
	struct profil_status *status;
	pthread_t reader;
	int fd;
};

static volatile int signals;

static void count_signal(int sig)
{
	signals++;
}

/* Wakes the reader with a signal, when the page is there. */
static void *give_late(void *arg)
{
	static struct {
		_Alignas(PAGE) struct profil_status status;
	} page = { .status.size = sizeof(page.status) };
	struct late *late = arg;
	struct uffdio_copy copy = {
		.dst = addr(late->status),
		.src = addr(&page),
		.len = PAGE,
		.mode = UFFDIO_COPY_MODE_DONTWAKE,
	};
	struct uffd_msg message;

	if (read(late->fd, &message, sizeof(message)) != sizeof(message) ||
	    ioctl(late->fd, UFFDIO_COPY, &copy))
		_exit(10);
	pthread_kill(late->reader, SIGUSR1);
	return NULL;
}

/* A call with a signal pending before the refresh. */
static struct profil_books stop_with_a_signal(void)
{
	struct late late = {
		.status = map_buffer(PAGE),
		.reader = pthread_self(),
	};
	pthread_t thread;

	signal(SIGUSR1, count_signal);
	late.fd = promise(late.status, PAGE);
	if (late.fd < 0 || pthread_create(&thread, NULL, give_late, &late) ||
	    do_ioctl(PROFIL_IOC_STOP, late.status))
		_exit(11);
	pthread_join(thread, NULL);
	close(late.fd);
	return late.status->books;
}

/*
 * Registering the notifier takes all locks of the mappings, and a pending
 * signal ends that.
 */
TEST_F(starved, signal_in_child_refresh_loses_nothing)
{
	int wait_status;
	pid_t pid;

	if (!has_userfaultfd())
		SKIP(return, "a kernel without userfaultfd");
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	if (take_all_cpus())
		SKIP(return, "no real-time threads");
	pid = fork();
	if (!pid) {
		struct profil_books books;

		burn_unsettled(10);
		books = stop_with_a_signal();
		if (signals != 1)
			_exit(1);
		_exit(!balanced(&books) || books.lost || books.binned < 5 ?
		      2 : 0);
	}
	waitpid(pid, &wait_status, 0);
	give_cpus_back();
	EXPECT_EQ(0, wait_status);
}

static void map_again(char *at)
{
	if (mmap(at, PAGE, PROT_READ | PROT_WRITE,
		 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != at)
		exit(KSFT_FAIL);
}

/* A buffer is unmapped, off at once or after so many samples, and mapped anew. */
static void expect_off(struct __test_metadata *_metadata, char *buffer, uint64_t most)
{
	struct profil_status status;
	struct listed before = listed_self(), after = before;
	time_t end = now() + 10;
	int i;

	munmap(buffer, PAGE);
	while (after.on && now() < end) {
		hot_a(200000);
		after = listed_self();
	}
	EXPECT_EQ(0, after.on);
	after.seen -= before.seen;
	after.lost -= before.lost;
	EXPECT_GE(most, after.seen - after.lost);
	map_again(buffer);
	for (i = 0; i < 10; i++)
		hot_a(1000000);
	give_cpus_back();
	usleep(200000);
	status = query();
	EXPECT_EQ(PROFIL_STATE_OFF, status.state);
	EXPECT_EQ(PROFIL_REASON_UNMAPPED, status.reason);
	/* Fewer than 25, if a worker ran in between and has found it unmapped. */
	EXPECT_LT(0, status.books.outside);
	EXPECT_TRUE(balanced(&status.books));
	EXPECT_EQ(0, status.books.pending);
	EXPECT_EQ(0, counter(buffer, 8, 0));
}

TEST_F(starved, unmapped_for_25_ticks_is_off)
{
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	if (take_all_cpus())
		SKIP(return, "no real-time threads");
	expect_off(_metadata, self->buffer, 26);
	EXPECT_EQ(0, query().books.lost);
}

/* At four times the tick's rate, the same time has four times the samples. */
TEST_F(starved, unmapped_with_a_rate_is_off)
{
	struct profil_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_INFO, &info));
	if (info.max_rate_hz < 4 * info.hz)
		SKIP(return, "timers have the tick's resolution");
	ASSERT_EQ(0, set_rated(all_region(self->buffer, 8), 4 * info.hz, 0));
	if (take_all_cpus())
		SKIP(return, "no real-time threads");
	/* Those of a thread that leaves its CPU do not count for it. */
	expect_off(_metadata, self->buffer, 2 * 100);
}

TEST_F(starved, unmapped_between_two_ticks_loses_nothing)
{
	struct profil_status status;
	uint64_t before;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	if (take_all_cpus())
		SKIP(return, "no real-time threads");
	munmap(self->buffer, PAGE);
	map_again(self->buffer);
	before = listed_seen();
	burn_unsettled(12);
	give_cpus_back();
	status = stop();
	EXPECT_EQ(PROFIL_STATE_ON, status.state);
	EXPECT_LE(before + 12, status.books.binned + status.books.outside);
	/* A tick may have come while nothing was mapped, or before that. */
	EXPECT_LE(11, counter(self->buffer, 8, 0));
}

TEST_F(starved, pending_of_replaced_profile_counted)
{
	char *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t before, after;

	ASSERT_EQ(0, set_region(all_region(shared, 8)));
	if (take_all_cpus())
		SKIP(return, "no real-time threads");
	before = counter(shared, 8, 0);
	/* Shared: the counts stay, but the page is not mapped any more. */
	madvise(shared, PAGE, MADV_DONTNEED);
	burn_unsettled(WAITING);
	set_region(all_region(shared, 8));
	after = counter(shared, 8, 0) - stop().books.binned;
	give_cpus_back();
	EXPECT_LE(before + WAITING / 2, after);
	munmap(shared, PAGE);
}

TEST_HARNESS_MAIN
