// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many processes of one user: RLIMIT_MEMLOCK limits their pinned pages, and the
 * cgroup limits the kernel's memory.
 */
#include <sched.h>

#include "account_test.h"

#define PAGES		8
#define CHILDREN	30

FIXTURE(bomb) {
	char *buffer;
	struct profil_region region;
};

FIXTURE_VARIANT(bomb) {
	int flags;
};

FIXTURE_VARIANT_ADD(bomb, private) { .flags = MAP_PRIVATE | MAP_ANONYMOUS, };
FIXTURE_VARIANT_ADD(bomb, shared) { .flags = MAP_SHARED | MAP_ANONYMOUS, };

FIXTURE_SETUP(bomb)
{
	self->buffer = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			    variant->flags, -1, 0);
	ASSERT_NE(MAP_FAILED, self->buffer);
	self->region = hot_region(self->buffer, 8);
	self->region.size = PAGES * PAGE;
}

FIXTURE_TEARDOWN(bomb)
{
	stop();
	munmap(self->buffer, PAGES * PAGE);
}

/* Sends 0 if it gets all that it may have and no more; then waits. */
static void be_one_of_many(int ready, struct profil_region region)
{
	char byte = 0;

	/* Until a sample has pinned the pages. */
	while (!query().books.binned && query().state == PROFIL_STATE_ON)
		hot_a(200000);
	if (query().state != PROFIL_STATE_ON || locked() != PAGES)
		byte = 1;
	region.size = 8;
	if (set_flags(&region, 1, PROFIL_F_THREAD) != ENOMEM)
		byte = 2;
	if (write(ready, &byte, 1) == 1)
		pause();
	_exit(1);
}

static void begin_many(int ready, struct profil_region region)
{
	int i;

	setsid();
	drop_rights(PAGES * PAGE);
	if (set_region(region))
		_exit(1);
	for (i = 0; i < CHILDREN; i++)
		if (!fork())
			be_one_of_many(ready, region);
	be_one_of_many(ready, region);
}

TEST_F(bomb, children_have_what_memlock_allows)
{
	long before = pinned_at_rest();
	int i, ready[2];
	char byte = 1;
	pid_t pid;

	ASSERT_LE(0, before);
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid)
		begin_many(ready[1], self->region);
	close(ready[1]);
	for (i = 0; i <= CHILDREN; i++) {
		EXPECT_EQ(1, read(ready[0], &byte, 1));
		EXPECT_EQ(0, byte);
	}
	EXPECT_EQ(before + (CHILDREN + 1) * PAGES, pinned());
	kill(-pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
	EXPECT_TRUE(pinned_again(before));
	close(ready[0]);
}

TEST_F(bomb, page_shared_by_two_regions_charged_twice)
{
	struct profil_region regions[2] = { self->region, self->region };

	regions[0].size = 8;
	regions[1].base += 8;
	regions[1].size = 8;
	EXPECT_CHILD({
		drop_rights(2 * PAGE - 1);
		if (set_regions(regions, 2) != ENOMEM)
			_exit(1);
	});
	EXPECT_CHILD({
		drop_rights(2 * PAGE);
		if (set_regions(regions, 2) || locked() != 2)
			_exit(1);
	});
}

TEST_F(bomb, mlock_and_a_profile_are_one_account)
{
	EXPECT_CHILD({
		char *other = map_buffer(2 * PAGE);

		drop_rights(PAGES * PAGE);
		self->region.size = (PAGES - 1) * PAGE;
		if (mlock(other, 2 * PAGE) ||
		    set_region(self->region) != ENOMEM)
			_exit(1);
		if (munlock(other, PAGE) || set_region(self->region))
			_exit(2);
		if (!mlock(other, PAGE) || locked() != PAGES)
			_exit(3);
		stop();
		if (mlock(other, 2 * PAGE))
			_exit(4);
	});
}

/* Every capability there, but not CAP_IPC_LOCK of the first namespace. */
TEST_F(bomb, own_userns_lifts_no_limit)
{
	EXPECT_CHILD({
		drop_rights((PAGES - 1) * PAGE);
		if (unshare(CLONE_NEWUSER))
			_exit(0);
		if (set_region(self->region) != ENOMEM)
			_exit(1);
	});
}

/* Its parent was root when it asked, and is not any more. */
TEST_F(bomb, own_userns_lifts_no_limit_of_child)
{
	EXPECT_CHILD({
		if (set_region(self->region))
			_exit(1);
		burn(1);
		drop_rights((PAGES - 1) * PAGE);
		if (unshare(CLONE_NEWUSER))
			_exit(0);
		pid_t pid = fork();
		int i, status;

		if (!pid) {
			for (i = 0; i < 1000 && query().state; i++)
				hot_a(100000);
			_exit(query().reason != PROFIL_REASON_MEMLOCK ||
			      locked());
		}
		waitpid(pid, &status, 0);
		_exit(status ? 2 : 0);
	});
}

#define GROUP	"/sys/fs/cgroup/profil_bomb"
#define REGIONS	1024
#define THREADS	100

static int set_many_regions(void *buffer, uint32_t flags)
{
	static struct profil_region regions[REGIONS];
	int i;

	for (i = 0; i < REGIONS; i++)
		regions[i] = hot_region(buffer, 8);
	return set_flags(regions, REGIONS, flags);
}

static void *set_in_thread(void *buffer)
{
	if (set_many_regions(buffer, PROFIL_F_THREAD))
		_exit(0);
	for (;;)
		pause();
}

/* Each takes some 400 KiB of the kernel's memory. */
static void set_without_end(void *buffer)
{
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, set_in_thread, buffer))
			_exit(0);
	sleep(300);
	_exit(1);
}

/* The call fails at some time, or the OOM killer comes. */
TEST_F(bomb, many_profiles_end_at_the_cgroups_limit)
{
	const char *why = group_create(GROUP);
	long before = pinned_at_rest();
	pid_t pid;
	int end;

	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, system("echo 16M >" GROUP "/memory.max"));
	pid = fork();
	if (!pid) {
		if (system("echo $PPID >" GROUP "/cgroup.procs"))
			_exit(2);
		set_without_end(self->buffer);
	}
	end = end_of(pid);
	EXPECT_TRUE(!end || end == SIGKILL);
	EXPECT_TRUE(pinned_again(before));
	EXPECT_EQ(0, rmdir(GROUP));
}

TEST_HARNESS_MAIN
