// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "OpenBSD in full": the request and its errors; when a file is
 * written, and when not.
 *
 * Run with an argument, this program is one that was executed.
 */
#include "dump_test.h"

FIXTURE(dump) {
	struct dump_area area;
	int status;
};

FIXTURE_SETUP(dump)
{
	self->area = area_make();
}

FIXTURE_TEARDOWN(dump)
{
	area_remove(&self->area);
}

TEST_F(dump, is_a_feature)
{
	struct profil_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_INFO, &info));
	EXPECT_NE(0, info.features & PROFIL_FEAT_DUMP);
}

TEST_F(dump, file_complete_when_wait_returns)
{
	struct stat st;
	pid_t pid;
	int i;

	for (i = 0; i < 20; i++) {
		pid = ENDED_CHILD({
			ask_and_complete(&self->area);
		});
		EXPECT_EQ(0, self->status);
		EXPECT_EQ(1, area_written(&self->area, pid));
		ASSERT_EQ(0, stat(area_name(&self->area, pid), &st));
		EXPECT_EQ(0100600, st.st_mode);
	}
	EXPECT_EQ(20, area_files(&self->area));
}

TEST_F(dump, length_head_or_too_long_writes_nothing)
{
	static const uint32_t lengths[] = {
		0, AREA - HEAD + 1, AREA, INT32_MAX, UINT32_MAX,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		ENDED_CHILD({
			ask_and_complete(&self->area);
			*self->area.len = lengths[i];
		});
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_F(dump, length_is_that_at_exit)
{
	struct stat st;
	pid_t pid = ENDED_CHILD({
		*self->area.len = 1000;
		if (area_set(&self->area))
			_exit(1);
		*self->area.len = 1;
	});

	ASSERT_EQ(0, stat(area_name(&self->area, pid), &st));
	EXPECT_EQ(HEAD + 1, st.st_size);
}

TEST_F(dump, a_stopped_profile_still_writes)
{
	pid_t pid = ENDED_CHILD({
		if (area_set(&self->area))
			_exit(1);
		stop();
		area_complete(&self->area);
	});

	EXPECT_EQ(1, area_written(&self->area, pid));
}

TEST_F(dump, later_call_changes_head_and_length_only)
{
	struct stat st;
	pid_t pid = ENDED_CHILD({
		struct profil_dump dump = area_dump(&self->area, -1);
		void *counter = area_counter(&self->area);

		if (area_set(&self->area))
			_exit(1);
		dump.addr += 4;
		if (set_dump(&dump, counter) != EALREADY)
			_exit(2);
		dump.addr -= 4;
		dump.size--;
		if (set_dump(&dump, counter) != EALREADY)
			_exit(3);
		dump.size++;
		dump.dirfd = 12345;
		dump.head = 50;
		dump.len += 4;
		self->area.len[1] = 7;
		if (set_dump(&dump, counter))
			_exit(4);
	});

	EXPECT_EQ(0, self->status);
	ASSERT_EQ(0, stat(area_name(&self->area, pid), &st));
	EXPECT_EQ(57, st.st_size);
}

TEST_F(dump, a_call_that_fails_asks_for_nothing)
{
	ENDED_CHILD({
		struct profil_dump dump = area_dump(&self->area, -1);

		if (chdir(self->area.dir))
			_exit(1);
		if (set_dump(&dump, (void *)PAGE) != EFAULT)
			_exit(2);
		area_complete(&self->area);
		/* This process is not bound by it either. */
		dump.addr += 8;
		*self->area.len = 0;
		if (set_dump(&dump, area_counter(&self->area)))
			_exit(3);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_F(dump, bad_requests_have_their_errno)
{
	struct profil_dump good = area_dump(&self->area, -1), bad;
	void *counter = area_counter(&self->area);
	int file = open("/proc/self/exe", O_RDONLY);

#define BAD(err, field, value) do {					\
	bad = good;							\
	bad.field = value;						\
	EXPECT_EQ(err, set_dump(&bad, counter));			\
} while (0)
	BAD(EINVAL, self_size, sizeof(bad) - 1);
	BAD(E2BIG, self_size, 4097);
	BAD(EBADF, dirfd, 12345);
	BAD(EBADF, dirfd, -2);
	BAD(ENOTDIR, dirfd, file);
	BAD(EFAULT, addr, 1ULL << 63);
	BAD(EINVAL, size, 0);
	BAD(EINVAL, size, PROFIL_DUMP_SIZE_MAX + 1);
	BAD(EINVAL, head, AREA + 1);
	BAD(EINVAL, len, good.len + 2);
	BAD(EFAULT, len, 0);
	EXPECT_EQ(EFAULT, set_dump((void *)8, counter));
	EXPECT_EQ(PROFIL_STATE_OFF, query().state);
	close(file);
}

TEST_F(dump, thread_profile_writes_no_file)
{
	struct profil_dump dump = area_dump(&self->area, -1);
	struct profil_region region = all_region(area_counter(&self->area), 8);
	struct profil_set set = {
		.size = sizeof(set),
		.flags = PROFIL_F_THREAD,
		.regions = addr(&region),
		.nr_regions = 1,
		.region_size = sizeof(region),
		.dump = addr(&dump),
	};

	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &set));
}

/* In the executed program: the result of the call. */
static int executed(const char *how)
{
	struct dump_area area = { .map = map_buffer(AREA + 3 * PAGE) };
	struct profil_dump dump;

	area.bytes = area.map + 100;
	area.len = (uint32_t *)(area.map + AREA + PAGE);
	dump = area_dump(&area, -1);
	if (!strcmp(how, "quiet"))
		return 0;
	return set_dump(&dump, area_counter(&area));
}

TEST_F(dump, shared_memory_is_eopnotsupp)
{
	struct profil_dump dump = area_dump(&self->area, -1);
	void *at = self->area.map + PAGE;

	ASSERT_EQ(at, mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED |
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	EXPECT_EQ(EOPNOTSUPP, set_dump(&dump, area_counter(&self->area)));
	dump.addr = addr(at) + PAGE;
	dump.size = PAGE;
	EXPECT_EQ(0, set_dump(&dump, area_counter(&self->area)));
	dump.len = addr(at);
	EXPECT_EQ(EOPNOTSUPP, set_dump(&dump, area_counter(&self->area)));
	stop();
}

TEST_F(dump, range_made_shared_later_has_no_file)
{
	ENDED_CHILD({
		void *at = self->area.map + PAGE;

		ask_and_complete(&self->area);
		if (mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED |
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0) != at)
			_exit(1);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_F(dump, exec_writes_nothing_and_forgets_request)
{
	ENDED_CHILD({
		if (area_set(&self->area))
			_exit(98);
		area_complete(&self->area);
		execl("/proc/self/exe", "dump", "quiet", NULL);
		_exit(99);
	});
	EXPECT_EQ(0, self->status);
	ENDED_CHILD({
		if (area_set(&self->area))
			_exit(98);
		area_complete(&self->area);
		/* With other addresses: no EALREADY. */
		execl("/proc/self/exe", "dump", "right", NULL);
		_exit(99);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

int main(int argc, char **argv)
{
	if (argc == 2 && argv[1][0] != '-')
		return executed(argv[1]);
	return test_harness_run(argc, argv);
}
