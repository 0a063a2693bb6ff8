// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the machine does meanwhile: CPUs that come and go, a tick that would
 * stop (boot with nohz_full=1), and an administrator who looks.
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

/* Interrupts of a CPU's timer, from /proc/interrupts. */
static unsigned long timer_interrupts(int cpu)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long value = 0;
	char line[1000];

	while (fgets(line, sizeof(line), f)) {
		char *p = strstr(line, "LOC:");
		int i;

		if (!p)
			continue;
		p += 4;
		for (i = 0; i <= cpu; i++)
			value = strtoul(p, &p, 10);
	}
	fclose(f);
	return value;
}

/*
 * Ticks that found user code on CPU 0, and any code, from /proc/stat: what the
 * kernel itself accounts at each, in hundredths of a second.
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

TEST_F(machine, each_tick_of_a_running_thread_is_one_sample)
{
	struct accounted before, after;
	uint64_t seen;

	pin_to(0);
	before = accounted();
	seen = query().books.seen;
	burn(500);
	seen = query().books.seen - seen;
	after = accounted();
	/* The CPU has other customers, but few. */
	EXPECT_LT((after.user - before.user) * 9 / 10, seen);
	EXPECT_LT(seen, (after.busy - before.busy) * 11 / 10 + 5);
}

/* The CPU of nohz_full=, or -1. */
static int quiet_cpu(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/nohz_full", "r");
	int cpu = -1;

	if (f && fscanf(f, "%d", &cpu) != 1)
		cpu = -1;
	if (f)
		fclose(f);
	return cpu;
}

/* Samples of two seconds of work. */
static uint64_t samples_alone(void)
{
	struct timespec now;
	uint64_t before = query().books.seen;
	time_t end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + 2;
	do {
		int i;

		/* No system call of the kernel's for many ticks. */
		for (i = 0; i < 10; i++)
			hot_a(1000000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end);
	return query().books.seen - before;
}

TEST_F(machine, a_lone_thread_on_a_quiet_cpu_is_sampled)
{
	int cpu = quiet_cpu();

	if (cpu < 0)
		SKIP(return, "not booted with nohz_full=");
	pin_to(cpu);
	/* Of some 500; without a dependency it is a handful. */
	EXPECT_LT(50, samples_alone());
}

TEST_F(machine, the_quiet_cpu_is_quiet_again_after_the_profile)
{
	int cpu = quiet_cpu();
	unsigned long before, after;
	int i;

	if (cpu < 0)
		SKIP(return, "not booted with nohz_full=");
	pin_to(cpu);
	samples_alone();
	stop();
	/* Until the hooks are out, which a work does. */
	sleep(4);
	before = timer_interrupts(cpu);
	for (i = 0; i < 200; i++)
		hot_a(1000000);
	after = timer_interrupts(cpu);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	for (i = 0; i < 200; i++)
		hot_a(1000000);
	/* The same work with a profile has many times the interrupts. */
	EXPECT_LT((after - before) * 3, query().books.seen);
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
