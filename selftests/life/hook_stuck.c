// SPDX-License-Identifier: GPL-2.0-only
/*
 * After ftrace_kill() ftrace takes no hook out any more, so the module stays
 * loaded.  A module beside it (selftests/ftrace_kill) calls that.
 */
#include <sys/syscall.h>

#include "hook_test.h"

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? errno : 0;
}

static int kill_ftrace(void)
{
	int fd = open(getenv("TEST_KO"), O_RDONLY);
	int ret = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;

	close(fd);
	return ret;
}

/* Whether the module gets this number of uses in 10 seconds. */
static bool gets_uses(long nr)
{
	int i;

	for (i = 0; i < 1000 && module_uses() != nr; i++)
		usleep(10000);
	return module_uses() == nr;
}

/* In a child, so that the device is not open afterwards. */
static void count_and_exit(char *buffer)
{
	/* The child has what its parent's profile counted. */
	memset(buffer, 0, PAGE);
	if (open(PROFIL_DEVICE, O_RDWR) != profil_fd() ||
	    set_region(all_region(buffer, 8)))
		_exit(1);
	burn(5);
	if (stop().books.binned != counter(buffer, 8, 0))
		_exit(2);
	_exit(counter(buffer, 8, 0) ? 0 : 3);
}

TEST(hook_after_ftrace_kill_keeps_module)
{
	char *buffer = map_buffer(PAGE);

	if (!getenv("TEST_KO"))
		SKIP(return, "no module that calls ftrace_kill()");
	ASSERT_EQ(0, set_region(all_region(buffer, 8)));
	ASSERT_EQ(0, kill_ftrace());
	stop();
	/* One is the open device. */
	EXPECT_TRUE(gets_uses(2));
	close(profil_fd());
	EXPECT_EQ(EAGAIN, unload("profil"));

	/* The hook is still called, and a profile may use it. */
	EXPECT_CHILD({ count_and_exit(buffer); });
	EXPECT_TRUE(gets_uses(1));
	EXPECT_EQ(EAGAIN, unload("profil"));

	/* It can be taken out again, and is. */
	EXPECT_EQ(0, unload("ftrace_kill"));
	EXPECT_CHILD({ count_and_exit(buffer); });
	EXPECT_TRUE(gets_uses(0));
	EXPECT_FALSE(armed_after_a_while());
}

TEST_HARNESS_MAIN
