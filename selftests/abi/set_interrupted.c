// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_IOC_SET of a program with many mappings ends although signals, or task
 * work of io_uring, come faster than all locks of the mappings can be taken.
 */
#include <linux/io_uring.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "profil_test.h"

#define MAPPINGS	60000
#define PERIOD_US	1000
#define ENTRIES		4096
#define FEW		20	/* interruptions that one call may see */

/* A kernel that checks all mappings at each call gets fewer. */
static void map_many(void)
{
	time_t end = time(NULL) + 30;
	int i;

	for (i = 0; i < MAPPINGS && time(NULL) < end; i++)
		if (mmap(NULL, PAGE, i & 1 ? PROT_READ : PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			_exit(10);
}

static volatile long signals;

static void count_signal(int sig)
{
	signals++;
}

static void set_with_signals(void)
{
	struct itimerval timer = { { 0, PERIOD_US }, { 0, PERIOD_US } };
	struct itimerval off = {};
	static uint64_t bin;
	long seen;

	map_many();
	signal(SIGALRM, count_signal);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (signals < 3)
		hot_a(1000);
	seen = signals;
	if (set_region(all_region(&bin, 8)))
		_exit(11);
	seen = signals - seen;
	setitimer(ITIMER_REAL, &off, NULL);
	if (seen > FEW)
		_exit(12);
	burn(3);
	_exit(stop().books.binned == bin ? 0 : 13);
}

static volatile bool poking;

static void *poke(void *fd)
{
	uint64_t one = 1;

	poking = true;
	while (poking) {
		if (write(*(int *)fd, &one, sizeof(one)) < 0)
			_exit(14);
		usleep(PERIOD_US);
	}
	return NULL;
}

/* Each event of the descriptor is task work of this thread.  0 or an errno. */
static int poll_with_io_uring(int event, volatile uint32_t **done)
{
	struct io_uring_params params = {};
	int fd = syscall(__NR_io_uring_setup, ENTRIES, &params);
	struct io_uring_sqe *sqes;
	uint32_t *array;
	char *ring;

	if (fd < 0)
		return errno;
	ring = mmap(NULL, params.sq_off.array + ENTRIES * sizeof(*array) +
		    params.cq_off.cqes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    IORING_OFF_SQ_RING);
	sqes = mmap(NULL, ENTRIES * sizeof(*sqes), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || sqes == MAP_FAILED ||
	    !(params.features & IORING_FEAT_SINGLE_MMAP))
		_exit(15);
	array = (uint32_t *)(ring + params.sq_off.array);
	sqes[0] = (struct io_uring_sqe) {
		.opcode = IORING_OP_POLL_ADD,
		.fd = event,
		.len = IORING_POLL_ADD_MULTI,
		.poll32_events = 1,	/* POLLIN */
	};
	array[0] = 0;
	*(uint32_t *)(ring + params.sq_off.tail) = 1;
	*done = (uint32_t *)(ring + params.cq_off.tail);
	return syscall(__NR_io_uring_enter, fd, 1, 0, 0, NULL, 0) == 1 ? 0 :
									 EIO;
}

static void set_with_task_work(void)
{
	int event = eventfd(0, EFD_NONBLOCK);
	volatile uint32_t *done = NULL;
	static uint64_t bin;
	pthread_t poker;
	uint32_t seen;

	map_many();
	if (poll_with_io_uring(event, &done))
		_exit(KSFT_SKIP);
	pthread_create(&poker, NULL, poke, &event);
	while (*done < 3)
		syscall(SYS_getpid);
	seen = *done;
	if (set_region(all_region(&bin, 8)))
		_exit(11);
	seen = *done - seen;
	poking = false;
	pthread_join(poker, NULL);
	if (seen > FEW)
		_exit(12);
	burn(3);
	_exit(stop().books.binned == bin ? 0 : 13);
}

TEST(set_ends_despite_periodic_signals)
{
	pid_t pid = fork();

	if (!pid)
		set_with_signals();
	EXPECT_EQ(0, end_of(pid));
}

TEST(set_ends_despite_io_uring_task_work)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		set_with_task_work();
	status = end_of(pid);
	if (status >= 0 && WEXITSTATUS(status) == KSFT_SKIP)
		SKIP(return, "a kernel without io_uring");
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
