// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cgroup above its memory.high: the kernel puts each task to sleep that
 * allocates for it, and so the workers that begin its processes' profiles.
 * They are few, hold up no other user's profiles, and no exit waits for them.
 */
#include <linux/sched.h>
#include <sys/syscall.h>

#include "account_test.h"
#include "machine_test.h"

#define GROUP		"/sys/fs/cgroup/profil_throttled"
#define REGIONS		1024
#define CHILDREN	40
#define FEW		4	/* as profil(4) says */
#define LOOKS		20
#define TRIES		300	/* looks until so many have seen one */
#define HUGE		(2UL << 20)
#define HUGE_PAGES	64
#define HUGE_CHILDREN	20
#define ENDS		50
#define PAGES		128	/* of each: in all more than the children have */

FIXTURE(throttled) {
	char *buffer;
	const char *why;	/* why there is no group, or NULL */
	int group;
	pid_t pids[CHILDREN];
};

FIXTURE_SETUP(throttled)
{
	self->buffer = map_buffer(PAGE);
	self->group = -1;
	self->why = group_create(GROUP);
	if (self->why)
		return;
	ASSERT_EQ(0, write_file(GROUP "/memory.high", "0"));
	self->group = open(GROUP, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, self->group);
}

FIXTURE_TEARDOWN(throttled)
{
	int i;

	stop();
	for (i = 0; i < CHILDREN && self->pids[i] > 0; i++)
		kill(self->pids[i], SIGKILL);
	for (i = 0; i < CHILDREN && self->pids[i] > 0; i++)
		EXPECT_EQ(self->pids[i], waitpid(self->pids[i], NULL, 0));
	if (self->group >= 0) {
		close(self->group);
		EXPECT_EQ(0, rmdir(GROUP));
	}
	munmap(self->buffer, PAGE);
}

/* The fork runs outside the group, so that it does not sleep. */
static pid_t fork_into(int group)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = group,
	};

	return syscall(SYS_clone3, &args, sizeof(args));
}

/* Pages that all profiles have pinned. */
static long listed_pages(void)
{
	FILE *file = fopen("/sys/kernel/debug/profil/profiles", "r");
	long pages = 0, one;
	char line[300];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*s %*u %*u %ld", &one) == 1)
			pages += one;
	if (file)
		fclose(file);
	return pages;
}

/* A child's profile begins with its first sample. */
static pid_t fork_sampled_into(int group)
{
	pid_t pid = fork_into(group);

	if (pid)
		return pid;
	run_ticks(25);
	for (;;)
		pause();
}

static int set_many(void *buffer)
{
	static struct profil_region regions[REGIONS];
	int i;

	for (i = 0; i < REGIONS; i++)
		regions[i] = hot_region(buffer, 8);
	return set_regions(regions, REGIONS);
}

TEST_F(throttled, workers_asleep_for_a_group_are_few)
{
	int i, asleep, most = 0, seen = 0;

	if (self->why)
		SKIP(return, "%s", self->why);
	ASSERT_EQ(0, set_many(self->buffer));
	for (i = 0; i < CHILDREN; i++) {
		self->pids[i] = fork_sampled_into(self->group);
		ASSERT_LT(0, self->pids[i]);
	}
	for (i = 0; i < TRIES && seen < LOOKS; i++) {
		asleep = workers_in("mem_cgroup_handle_over_high");
		seen += asleep > 0;
		if (asleep > most)
			most = asleep;
		usleep(100000);
	}
	if (!most)
		SKIP(return, "a kernel whose workers do not sleep for a group");
	/* One may take the place of another during a look. */
	EXPECT_GE(2 * FEW, most);
}

TEST_F(throttled, process_that_ends_leaves_no_pin)
{
	long before = pinned_at_rest(), held;
	struct profil_region region;
	int i;

	if (self->why)
		SKIP(return, "%s", self->why);
	if (before < 0)
		SKIP(return, "a kernel that does not count pins");
	ASSERT_EQ(0, set_many(self->buffer));
	for (i = 0; i < CHILDREN; i++) {
		self->pids[i] = fork_sampled_into(self->group);
		ASSERT_LT(0, self->pids[i]);
	}
	stop();
	for (i = 0; i < ENDS; i++)
		EXPECT_CHILD({
			region = hot_region(map_buffer(PAGES * PAGE), 8);
			region.size = PAGES * PAGE;
			if (set_region(region))
				_exit(1);
		});
	/* The children have pins, more and more of them. */
	held = pinned();
	for (i = 0; i < 1000 && held > before + listed_pages(); i++) {
		usleep(10000);
		held = pinned();
	}
	EXPECT_GE(before + listed_pages(), held);
}

/* Each fault sleeps with the lock of its VMA held. */
static void fault_in(char *huge)
{
	int i;

	for (;;) {
		for (i = 1; i < HUGE_PAGES; i++)
			huge[i * HUGE] = 1;
		madvise(huge + HUGE, (HUGE_PAGES - 1) * HUGE, MADV_DONTNEED);
	}
}

TEST_F(throttled, no_worker_waits_with_mmap_lock)
{
	char *huge = mmap(NULL, (HUGE_PAGES + 1) * HUGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, seen = 0;

	if (self->why)
		SKIP(return, "%s", self->why);
	ASSERT_NE(MAP_FAILED, huge);
	huge = (char *)(((uintptr_t)huge + HUGE - 1) & -HUGE);
	if (madvise(huge, HUGE_PAGES * HUGE, MADV_HUGEPAGE))
		SKIP(return, "a kernel without huge pages");
	*huge = 1;
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	for (i = 0; i < HUGE_CHILDREN; i++) {
		self->pids[i] = fork_into(self->group);
		ASSERT_LE(0, self->pids[i]);
		if (!self->pids[i])
			fault_in(huge);
	}
	for (i = 0; i < LOOKS; i++) {
		seen += workers_in("mm_take_all_locks") > 0;
		usleep(100000);
	}
	EXPECT_GE(LOOKS / 4, seen);
}

TEST_HARNESS_MAIN
