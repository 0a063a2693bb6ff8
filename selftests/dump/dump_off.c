// SPDX-License-Identifier: GPL-2.0-only
/*
 * With the parameter dump=0 the kernel writes no files; all else is unchanged.
 */
#include <sys/syscall.h>

#include "dump_test.h"

#define TRIES	6000	/* tries to unload the module, 10 ms each */

FIXTURE(dump_off) {
	struct dump_area area;
	int status;
	int module;
};

static bool unload(void)
{
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!syscall(SYS_delete_module, "profil", O_NONBLOCK))
			return true;
		usleep(10000);
	}
	return false;
}

FIXTURE_SETUP(dump_off)
{
	const char *file = getenv("PROFIL_KO");

	if (!file)
		SKIP(_exit(255), "no PROFIL_KO, a module to load");
	self->module = open(file, O_RDONLY);
	self->area = area_make();
	ASSERT_TRUE(unload());
	ASSERT_EQ(0, syscall(SYS_finit_module, self->module, "dump=0", 0));
}

FIXTURE_TEARDOWN(dump_off)
{
	EXPECT_TRUE(unload());
	EXPECT_EQ(0, syscall(SYS_finit_module, self->module, "", 0));
	area_remove(&self->area);
}

/* In a child, so that no descriptor of the test keeps the module. */
TEST_F(dump_off, dump_is_eopnotsupp_and_no_feature)
{
	ENDED_CHILD({
		struct profil_info info = { .size = sizeof(info) };

		if (do_ioctl(PROFIL_IOC_INFO, &info) ||
		    info.features & PROFIL_FEAT_DUMP)
			_exit(1);
		if (area_set(&self->area) != EOPNOTSUPP)
			_exit(2);
		area_complete(&self->area);
		if (set_region(all_region(area_counter(&self->area), 8)))
			_exit(3);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_HARNESS_MAIN
