// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles of forked children: inherited from any thread that forks, counting
 * before the first call, without the regions that were off.
 */
#include <signal.h>
#include <sched.h>

#include "account_test.h"
#include "starve_test.h"

FIXTURE(inherit) {
	char *buffer;
};

FIXTURE_SETUP(inherit)
{
	self->buffer = map_buffer(1 * PAGE);
}

FIXTURE_TEARDOWN(inherit)
{
	stop();
	munmap(self->buffer, 1 * PAGE);
}

TEST_F(inherit, region_off_at_fork_keeps_reason)
{
	struct profil_region regions[2] = {
		all_region(self->buffer, 8),
		hot_region(map_buffer(3 * PAGE), 2),
	};
	struct profil_region_status each[2];
	int i;

	regions[1].size = 3 * PAGE;
	ASSERT_EQ(0, set_regions(regions, 2));
	munmap((void *)(uintptr_t)regions[1].base, 3 * PAGE);
	for (i = 0; i < 1000; i++) {
		hot_a(200000);
		ask(PROFIL_IOC_QUERY, 0, each, 2);
		if (each[1].state == PROFIL_STATE_OFF)
			break;
	}
	EXPECT_CHILD({
		burn(5);
		ask(PROFIL_IOC_QUERY, 0, each, 2);
		if (each[1].reason != PROFIL_REASON_UNMAPPED)
			_exit(1);
		if (locked() != 1)
			_exit(2);
	});
}

static void *fork_in_thread(void *buffer)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid)
		_exit(query().state != PROFIL_STATE_ON);
	waitpid(pid, &status, 0);
	return (void *)(intptr_t)status;
}

TEST_F(inherit, fork_from_any_thread_profiles_child)
{
	pthread_t thread;
	void *status;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fork_in_thread,
				    self->buffer));
	pthread_join(thread, &status);
	EXPECT_EQ(NULL, status);
}

/* It makes no call; the counters are in memory shared with the parent. */
TEST_F(inherit, a_child_that_never_looks_is_counted)
{
	char *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t before;
	int i;

	ASSERT_EQ(0, set_region(all_region(shared, 8)));
	before = query().books.binned;
	EXPECT_CHILD({
		for (i = 0; i < 100; i++)
			hot_a(1000000);
	});
	EXPECT_LE(before + 10, counter(shared, 8, 0) -
			       (stop().books.binned - before));
	munmap(shared, PAGE);
}

#define GROUP	"/sys/fs/cgroup/profil_inherit"
#define REGIONS	1024
#define CHILDREN	8

static long group_memory(void)
{
	FILE *f = fopen(GROUP "/memory.current", "r");
	long bytes = 0;

	if (!f || fscanf(f, "%ld", &bytes) != 1)
		_exit(3);
	fclose(f);
	return bytes;
}

static int go[2], ready[2];

/* Has ticks, and makes no system call. */
static int be_counted(void *unused)
{
	char c;
	int i;

	if (read(go[0], &c, 1) != 1)
		_exit(6);
	run_beside_others();
	for (i = 0; i < 30; i++)
		hot_a(1000000);
	write(ready[1], &c, 1);
	for (;;)
		pause();
}

/* Leaves its memory to another process and ends. */
static void leave_memory(pid_t *heir)
{
	static char stack[16 * PAGE] __attribute__((aligned(16)));

	*heir = clone(be_counted, stack + sizeof(stack), CLONE_VM | SIGCHLD,
		      NULL);
	_exit(0);
}

/* Kernel memory of children that make no call, in KiB. */
static long childrens_memory(void *buffer, int nr, bool leave)
{
	static struct profil_region regions[REGIONS];
	pid_t *pids = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long before;
	char c = 0;
	pid_t pid;
	int i;

	/* While workers starve, no child is refreshed before it ends. */
	if (leave && take_all_cpus())
		_exit(KSFT_SKIP);
	for (i = 0; i < nr; i++)
		regions[i] = hot_region(buffer, 8);
	if (set_regions(regions, nr) || pipe(go) || pipe(ready))
		_exit(4);
	before = group_memory();
	for (i = 0; i < CHILDREN; i++) {
		pid = fork();
		if (!pid && leave)
			leave_memory(&pids[i]);
		if (!pid)
			be_counted(NULL);
		if (leave)
			waitpid(pid, NULL, 0);
		else
			pids[i] = pid;
	}
	if (leave)
		give_cpus_back();
	for (i = 0; i < CHILDREN; i++) {
		if (write(go[1], &c, 1) != 1 || read(ready[0], &c, 1) != 1)
			_exit(5);
	}
	before = group_memory() - before;
	for (i = 0; i < CHILDREN; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return before / 1024;
}

static void expect_charged(struct __test_metadata *_metadata, void *buffer,
			   bool leave)
{
	const char *why = group_create(GROUP);
	long *kib = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int tries;

	if (why)
		SKIP(return, "%s", why);
	EXPECT_CHILD({
		if (system("echo $PPID >" GROUP "/cgroup.procs"))
			_exit(1);
		kib[0] = childrens_memory(buffer, 1, leave);
		stop();
		kib[1] = childrens_memory(buffer, REGIONS, leave);
	});
	/* A region takes over 100 bytes; each CPU holds some in advance. */
	EXPECT_LE(kib[0] + CHILDREN * 100, kib[1]);
	/* Processes without a parent may be in the group for a moment. */
	for (tries = 0; tries < 500 && rmdir(GROUP); tries++)
		usleep(10000);
	EXPECT_NE(0, access(GROUP, F_OK));
	munmap(kib, PAGE);
}

TEST_F(inherit, child_memory_is_charged_to_its_cgroup)
{
	expect_charged(_metadata, self->buffer, false);
}

TEST_F(inherit, memory_left_by_a_reaped_child_is_charged)
{
	expect_charged(_metadata, self->buffer, true);
}

#define SLEEPERS	20

/* Number of profiles without a sample, or of those that have pages pinned. */
static int listed_unsampled(bool charged)
{
	FILE *f = fopen("/sys/kernel/debug/profil/profiles", "r");
	unsigned long long seen;
	unsigned long pages;
	char line[300];
	int nr = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*d %*u %*u %lu %llu", &pages, &seen) == 2 &&
		    !seen && (pages || !charged))
			nr++;
	if (f)
		fclose(f);
	return nr;
}

/* Registering a notifier takes the locks of all mappings of the child. */
TEST_F(inherit, child_without_samples_is_not_watched)
{
	pid_t pids[SLEEPERS];
	int i, tries;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	burn(1);
	for (i = 0; i < SLEEPERS; i++) {
		pids[i] = fork();
		while (!pids[i])
			pause();
	}
	usleep(300000);
	EXPECT_LE(1, listed_unsampled(false));
	EXPECT_EQ(0, listed_unsampled(true));
	for (i = 0; i < SLEEPERS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	/* The profile ends although it has no notifier. */
	for (tries = 0; tries < 6000 && listed() != 1; tries++)
		usleep(10000);
	EXPECT_EQ(1, listed());
}

TEST_HARNESS_MAIN
