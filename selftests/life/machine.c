// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine around a profile: CPU hotplug, other users of the tick, and root
 * reading debugfs.
 */
#include <sys/stat.h>

#include "machine_test.h"

FIXTURE(machine) {
	char *buffer;
};

FIXTURE_SETUP(machine)
{
	self->buffer = map_buffer(PAGE);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
}

FIXTURE_TEARDOWN(machine)
{
	stop();
	munmap(self->buffer, PAGE);
}

TEST_F(machine, hotplug_loses_nothing)
{
	const char *online = "/sys/devices/system/cpu/cpu1/online";
	pthread_t threads[3];
	struct profil_status status;
	int i;

	if (access(online, W_OK))
		SKIP(return, "no CPU that can be taken away");
	burners_start(threads, 3);
	for (i = 0; i < 6; i++) {
		uint64_t end = query().books.seen + 20;

		ASSERT_EQ(0, write_file(online, i % 2 ? "1" : "0"));
		while (query().books.seen < end)
			usleep(10000);
	}
	burners_end(threads, 3);
	status = stop();
	EXPECT_BALANCED(&status);
	EXPECT_EQ(status.books.binned, counter(self->buffer, 8, 0));
}

/*
 * Ticks of CPU 0 in user mode, and in any mode, from /proc/stat: the kernel's
 * own account of each, in hundredths of a second.
 */
struct accounted {
	uint64_t user;
	uint64_t busy;
};

static struct accounted accounted(void)
{
	unsigned long long user, nice, system, irq, softirq;
	uint64_t hz = query().hz;
	FILE *f = fopen("/proc/stat", "r");

	if (!f || fscanf(f, "cpu %*[^\n] cpu0 %llu %llu %llu %*u %*u %llu %llu",
			 &user, &nice, &system, &irq, &softirq) != 5) {
		ksft_print_msg("no cpu0 in /proc/stat\n");
		exit(KSFT_FAIL);
	}
	fclose(f);
	user += nice;
	return (struct accounted){
		.user = user * hz / 100,
		.busy = (user + system + irq + softirq) * hz / 100,
	};
}

TEST_F(machine, each_tick_of_thread_is_one_sample)
{
	struct accounted before, after;
	uint64_t seen;

	pin_to(0);
	before = accounted();
	seen = query().books.seen;
	burn(500);
	seen = query().books.seen - seen;
	after = accounted();
	/* Other tasks run on the CPU, but few. */
	EXPECT_LT((after.user - before.user) * 9 / 10, seen);
	EXPECT_LT(seen, (after.busy - before.busy) * 11 / 10 + 5);
}

TEST_F(machine, live_profiles_can_be_listed_by_root)
{
	const char *name = "/sys/kernel/debug/profil/profiles";
	FILE *f = fopen(name, "r");
	unsigned int regions, on;
	unsigned long pages;
	bool found = false;
	char line[300];

	ASSERT_NE(NULL, f);
	while (fgets(line, sizeof(line), f)) {
		int pid;

		if (sscanf(line, "%d %u %u %lu", &pid, &regions, &on,
			   &pages) == 4 && pid == getpid()) {
			found = true;
			EXPECT_EQ(1, regions);
			EXPECT_EQ(1, on);
			EXPECT_EQ(1, pages);
		}
	}
	fclose(f);
	EXPECT_TRUE(found);
	EXPECT_CHILD({
		if (setuid(65534))
			_exit(1);
		if (open(name, O_RDONLY) >= 0)
			_exit(2);
	});
}

/* Its directory hides it too, so look at the mode itself. */
TEST_F(machine, the_list_is_for_root_alone)
{
	struct stat st;

	ASSERT_EQ(0, stat("/sys/kernel/debug/profil/profiles", &st));
	EXPECT_EQ(0400, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
}

TEST_HARNESS_MAIN
