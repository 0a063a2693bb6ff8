// SPDX-License-Identifier: GPL-2.0-only
/*
 * A long run: many profiled processes that come and go, with the fuzzer beside
 * them.  Each counts every one of its ticks, and what the kernel has in use
 * afterwards is what it had before.
 *
 * SOAK_SECONDS=N is how long, SOAK_PROCESSES=N how many at once.
 */
#include <signal.h>

#include "machine_test.h"

#define SLACK	(16L << 10)	/* KiB that slab caches may grow */

struct account {
	unsigned long ended;
	unsigned long killed;
	unsigned long samples;
	unsigned long bad;
};

static struct account *account;

/* The number in the line of a file that begins with a name. */
static long value_of(const char *file, const char *name)
{
	FILE *f = fopen(file, "r");
	char line[400];
	long value = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = atol(line + strlen(name));
	if (f)
		fclose(f);
	return value;
}

struct memory {
	long slab;	/* KiB that can't be reclaimed */
	long pinned;	/* pages */
	long references;	/* module references: profiles, and others */
};

static struct memory memory_now(void)
{
	struct memory memory;

	/*
	 * What each CPU still keeps to itself; what is only cached; and what
	 * KASAN keeps from being used again, up to a 32nd of all memory.
	 */
	if (system("echo 3 >/proc/sys/vm/drop_caches;"
		   "for cache in /sys/kernel/slab/*/shrink; do echo 1 >$cache; done;"
		   "echo 1 >/proc/sys/vm/stat_refresh"))
		ksft_print_msg("cannot refresh /proc/vmstat\n");
	memory.slab = value_of("/proc/meminfo", "SUnreclaim:");
	memory.pinned = value_of("/proc/vmstat", "nr_foll_pin_acquired ") -
			value_of("/proc/vmstat", "nr_foll_pin_released ");
	memory.references = value_of("/sys/module/profil/refcnt", "");
	return memory;
}

static bool books_are_right(const struct profil_status *status,
			    const char *buffer)
{
	const struct profil_books *books = &status->books;

	return balanced(books) && !books->lost &&
	       books->binned == sum(buffer, 4, PAGE) +
				counter(buffer + PAGE, 8, 0);
}

/* One child with a profile, which it replaces, and hands on to its own. */
static void live(unsigned int seed)
{
	char *buffer = map_buffer(2 * PAGE);
	struct profil_region regions[2] = {
		hot_region(buffer, 4), all_region(buffer + PAGE, 8)
	};
	struct profil_status status;
	int i, wait_status;
	pid_t pid;

	for (i = seed % 5; i >= 0; i--) {
		memset(buffer, 0, 2 * PAGE);
		if (set_regions(regions, 2))
			_exit(2);
		hot_a(seed % 7 * 100000);
		pid = fork();
		if (!pid)
			memset(buffer, 0, 2 * PAGE);
		hot_b(seed % 11 * 100000);
		if (!pid) {
			status = stop();
			_exit(!balanced(&status.books) || status.books.lost);
		}
		if (pid > 0 && waitpid(pid, &wait_status, 0) == pid &&
		    wait_status)
			_exit(3);
		status = stop();
		if (!books_are_right(&status, buffer))
			_exit(4);
		__sync_fetch_and_add(&account->samples, status.books.seen);
	}
	_exit(0);
}

/* The fuzzer's program is where this one is; what it says is kept for later. */
static pid_t start_fuzzer(FILE *said, long seconds)
{
	char name[300], text[30], *slash;
	ssize_t n = readlink("/proc/self/exe", name, sizeof(name) - 10);
	pid_t pid = fork();

	if (pid)
		return pid;
	dup2(fileno(said), 1);
	dup2(fileno(said), 2);
	name[n > 0 ? n : 0] = 0;
	slash = strrchr(name, '/');
	if (!slash)
		_exit(1);
	strcpy(slash, "/fuzz");
	snprintf(text, sizeof(text), "%ld", seconds);
	setenv("FUZZ_SECONDS", text, 1);
	execl(name, name, NULL);
	_exit(1);
}

static void repeat(FILE *said)
{
	char line[300];

	rewind(said);
	while (fgets(line, sizeof(line), said))
		ksft_print_msg("fuzz: %s", line);
	fclose(said);
}

FIXTURE(soak) {
	struct memory before;
	long seconds;
	int processes;
};

FIXTURE_SETUP(soak)
{
	account = mmap(NULL, sizeof(*account), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, account);
	self->seconds = number("SOAK_SECONDS", 10);
	self->processes = number("SOAK_PROCESSES", 50);
	profil_fd();
	self->before = memory_now();
	ASSERT_LE(1, self->before.references);
}

FIXTURE_TEARDOWN(soak)
{
	munmap(account, sizeof(*account));
}

TEST_F_TIMEOUT(soak, nothing_is_lost_and_nothing_grows, 1000000)
{
	time_t end = now() + self->seconds;
	struct memory after;
	int running = 0, status, i;
	unsigned int seed = 0;
	FILE *said = tmpfile();
	pid_t fuzzer, pid;

	ASSERT_NE(NULL, said);
	fuzzer = start_fuzzer(said, self->seconds);
	while (now() < end || running) {
		while (running < self->processes && now() < end) {
			pid = fork();
			ASSERT_LE(0, pid);
			if (!pid)
				live(seed);
			running++;
			/* Some are killed before. */
			if (seed++ % 16 == 0)
				kill(pid, SIGKILL);
		}
		pid = waitpid(-1, &status, 0);
		ASSERT_LE(0, pid);
		if (pid == fuzzer) {
			EXPECT_EQ(0, status);
			fuzzer = 0;
			continue;
		}
		running--;
		account->ended++;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			account->killed++;
		else if (status && !account->bad++)
			ksft_print_msg("a process: %#x\n", status);
	}
	if (fuzzer) {
		ASSERT_EQ(fuzzer, waitpid(fuzzer, &status, 0));
		EXPECT_EQ(0, status);
	}
	repeat(said);
	/* Work items take down the profiles that ended. */
	for (i = 0; i < 100; i++) {
		after = memory_now();
		if (after.pinned == self->before.pinned &&
		    after.slab < self->before.slab + SLACK &&
		    after.references == self->before.references)
			break;
		usleep(200000);
	}
	ksft_print_msg("%lu processes, %lu of them killed; %lu samples\n",
		       account->ended, account->killed, account->samples);
	ksft_print_msg("slab %ld KiB before, %ld after; pages pinned %ld, %ld; references %ld, %ld\n",
		       self->before.slab, after.slab, self->before.pinned,
		       after.pinned, self->before.references,
		       after.references);
	fflush(stdout);
	EXPECT_EQ(0, account->bad);
	EXPECT_LE(1, account->samples);
	EXPECT_EQ(self->before.pinned, after.pinned);
	EXPECT_LE(after.slab, self->before.slab + SLACK);
	EXPECT_EQ(self->before.references, after.references);
	EXPECT_EQ(0, listed());
}

TEST_HARNESS_MAIN
