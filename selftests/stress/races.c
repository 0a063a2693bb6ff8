// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each pair of operations on a profile, at the same time, many times: two
 * threads do one each, while other threads are counted.  A race shows in the
 * books, in the counters, or in a splat, and sooner with vm/run --delays.
 *
 * RACE_ROUNDS=N is how often each is done.
 */
#include <signal.h>
#include <spawn.h>

#include "machine_test.h"

#define PAGES	4

static char *buffer;

/* One region for all ticks, so that no tick is outside. */
static int set_all(uint32_t flags, uint32_t page, uint32_t width)
{
	struct profil_region regions[2] = {
		hot_region(buffer + page * PAGE, width),
		all_region(buffer + 3 * PAGE, 8),
	};

	return set_flags(regions, 2, flags);
}

static void replace(void)
{
	static unsigned int n;

	n++;
	set_all(0, n % 2, 2 << n % 3);
}

static void stop_and_set(void)
{
	stop();
	set_all(0, 0, 4);
}

static void set_thread(void)
{
	struct profil_status status;

	if (set_all(PROFIL_F_THREAD, 2, 4))
		return;
	hot_b(1000);
	status = ask(PROFIL_IOC_STOP, PROFIL_F_THREAD, NULL, 0);
	if (!balanced(&status.books))
		exit(3);
}

static void fork_one(void)
{
	struct profil_status status;
	pid_t pid = fork();

	if (!pid) {
		hot_b(30000);
		status = query();
		_exit(balanced(&status.books) ? 0 : 3);
	}
	if (pid > 0) {
		int wait_status;

		waitpid(pid, &wait_status, 0);
		if (wait_status)
			exit(4);
	}
}

static void fork_and_kill(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			hot_b(1000);
	usleep(100);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void execute(void)
{
	static char *const argv[] = { "/bin/true", NULL };
	pid_t pid = fork();

	if (!pid) {
		set_all(PROFIL_F_THREAD, 2, 4);
		execv(argv[0], argv);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void *end_with_profile(void *arg)
{
	set_all(PROFIL_F_THREAD, 2, 8);
	hot_b(1000);
	return NULL;
}

static void end_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, end_with_profile, NULL))
		pthread_join(thread, NULL);
}

/* Never without memory there, so that no region may go off. */
static void map_over(void)
{
	mmap(buffer, 2 * PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void drop_pages(void)
{
	madvise(buffer, 3 * PAGE, MADV_DONTNEED);
}

static void look(void)
{
	struct profil_status status = query();

	if (!balanced(&status.books))
		exit(5);
}

static void list(void)
{
	char text[4096];
	int fd = open("/sys/kernel/debug/profil/profiles", O_RDONLY);

	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

/* Slow, and for the whole machine. */
static void take_cpu(void)
{
	static const char name[] = "/sys/devices/system/cpu/cpu1/online";
	int fd = open(name, O_WRONLY);

	if (fd >= 0 && (pwrite(fd, "0", 1, 0) < 0 || pwrite(fd, "1", 1, 0) < 0))
		usleep(1000);
	close(fd);
}

static const struct {
	const char *name;
	void (*act)(void);
} acts[] = {
	{ "replace", replace },
	{ "stop", stop_and_set },
	{ "a thread's profile", set_thread },
	{ "fork", fork_one },
	{ "kill", fork_and_kill },
	{ "exec", execute },
	{ "a thread's end", end_thread },
	{ "mmap", map_over },
	{ "madvise", drop_pages },
	{ "query", look },
	{ "the list", list },
	{ "hotplug", take_cpu },
};

#define ACTS	(sizeof(acts) / sizeof(*acts))

static volatile int done[2];
static int rounds;

/* Goes on until the other has done its part as well. */
static void *actor(void *arg)
{
	int me = (intptr_t)arg & 1;
	const size_t act = (intptr_t)arg >> 1;

	while (done[me] < rounds || done[!me] < rounds) {
		acts[act].act();
		done[me]++;
	}
	return NULL;
}

static void meet(size_t a, size_t b)
{
	struct profil_status status;
	pthread_t threads[2], other;

	buffer = map_buffer(PAGES * PAGE);
	if (set_all(0, 0, 4))
		_exit(1);
	burners_start(&other, 1);
	if (pthread_create(&threads[0], NULL, actor, (void *)(a << 1)) ||
	    pthread_create(&threads[1], NULL, actor, (void *)(b << 1 | 1)))
		_exit(2);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	burners_end(&other, 1);

	status = query();
	if (!balanced(&status.books) || status.books.lost ||
	    status.books.outside || status.state != PROFIL_STATE_ON)
		_exit(6);
	/* And it still counts, every tick. */
	stop();
	memset(buffer, 0, PAGES * PAGE);
	if (set_all(0, 0, 4))
		_exit(7);
	burn(2);
	status = stop();
	_exit(status.books.binned == status.books.seen &&
	      sum(buffer, 4, PAGE) + counter(buffer + 3 * PAGE, 8, 0) ==
	      status.books.seen ? 0 : 8);
}

TEST(every_two_that_can_meet)
{
	int status;
	size_t a, b;
	pid_t pid;

	rounds = number("RACE_ROUNDS", 5);
	for (a = 0; a < ACTS; a++) {
		for (b = a; b < ACTS; b++) {
			pid = fork();
			ASSERT_LE(0, pid);
			if (!pid)
				meet(a, b);
			ASSERT_EQ(pid, waitpid(pid, &status, 0));
			if (status)
				ksft_print_msg("%s, %s: %#x\n", acts[a].name,
					       acts[b].name, status);
			EXPECT_EQ(0, status);
		}
	}
	fflush(stdout);
}

TEST_HARNESS_MAIN
