// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that userfaultfd never provides: no call, no worker and no exit waits
 * for one.
 */
#include "dump_test.h"
#include "userfault_test.h"

FIXTURE(userfault) {
	char *buffer;
	struct dump_area area;
};

FIXTURE_SETUP(userfault)
{
	self->buffer = map_buffer(PAGE);
	self->area = area_make();
}

FIXTURE_TEARDOWN(userfault)
{
	area_remove(&self->area);
	munmap(self->buffer, PAGE);
}

/* 0 if the buffer is off because its page was taken away. */
static int lose_page(char *buffer, int spin)
{
	int i;

	if (set_region(all_region(buffer, 8)))
		return 1;
	burn(2);
	if (promise(buffer, PAGE) < 0 || madvise(buffer, PAGE, MADV_DONTNEED))
		return 2;
	for (i = 0; i < spin; i++)
		hot_a(1000000);
	for (i = 0; i < 2000 && query().state; i++)
		hot_a(100000);
	return query().reason == PROFIL_REASON_FAULT ? 0 : 3;
}

TEST_F(userfault, worker_looking_at_buffer_does_not_wait)
{
	pid_t pid;

	if (!has_userfaultfd())
		SKIP(return, "a kernel without userfaultfd");
	pid = fork();
	if (!pid)
		_exit(lose_page(self->buffer, 50));
	EXPECT_EQ(0, end_of(pid));
}

/* The page goes, and a process that stays behind could provide it. */
static void end_without(struct dump_area *area, char *page)
{
	setsid();
	/* Else this process would wait for the page. */
	area_complete(area);
	if (promise(page, PAGE) < 0)
		_exit(1);
	if (!fork())
		pause();
	ask_and_complete(area);
	_exit(madvise(page, PAGE, MADV_DONTNEED) ? 2 : 0);
}

TEST_F(userfault, exit_does_not_wait_for_missing_pages)
{
	/* The pages of the data, and the page of its length. */
	char *pages[] = { self->area.map + PAGE, (char *)self->area.len };
	size_t i;

	if (!has_userfaultfd())
		SKIP(return, "a kernel without userfaultfd");
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		pid_t pid;

		ASSERT_EQ(0, mount("profil", self->area.dir, "tmpfs", 0, NULL));
		pid = fork();
		if (!pid)
			end_without(&self->area, pages[i]);
		EXPECT_EQ(0, end_of(pid));
		EXPECT_EQ(0, area_files(&self->area));
		EXPECT_TRUE(unmounts(self->area.dir));
		kill(-pid, SIGKILL);
	}
}

TEST_HARNESS_MAIN
