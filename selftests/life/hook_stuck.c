// SPDX-License-Identifier: GPL-2.0-only
/*
 * If ftrace can't take the hook out, the module stays loaded.  Only a module that
 * is built with PROFIL_DELAYS=y can be told to act as if that were so.
 */
#include <sys/syscall.h>

#include "hook_test.h"

#define FAIL	"/sys/module/profil/parameters/fail_disarm"

static int unload(void)
{
	return syscall(SYS_delete_module, "profil", O_NONBLOCK) ? errno : 0;
}

/* Whether the module gets this number of uses in 10 seconds. */
static bool gets_uses(long nr)
{
	int i;

	for (i = 0; i < 1000 && module_uses() != nr; i++)
		usleep(10000);
	return module_uses() == nr;
}

TEST(hook_that_stays_in_keeps_the_module)
{
	char *buffer = map_buffer(PAGE);

	if (access(FAIL, W_OK))
		SKIP(return, "a module that can't be told to fail");
	ASSERT_EQ(0, write_file(FAIL, "1"));
	ASSERT_EQ(0, set_region(all_region(buffer, 8)));
	stop();
	/* One is the open device. */
	EXPECT_TRUE(gets_uses(2));
	EXPECT_TRUE(armed());
	close(profil_fd());
	EXPECT_EQ(EAGAIN, unload());

	/* Ticks come yet, and a profile may use the hook that is in. */
	ASSERT_EQ(0, write_file(FAIL, "0"));
	EXPECT_CHILD({
		if (open(PROFIL_DEVICE, O_RDWR) != profil_fd() ||
		    set_region(all_region(buffer, 8)))
			_exit(1);
		burn(5);
		if (stop().books.binned != counter(buffer, 8, 0))
			_exit(2);
	});
	EXPECT_TRUE(gets_uses(0));
	EXPECT_FALSE(armed_after_a_while());
}

TEST_HARNESS_MAIN
