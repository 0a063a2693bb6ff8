// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU without a tick (boot with nohz_full=1) has one while a profiled thread
 * runs there, and no longer.
 */
#include <stdatomic.h>
#include <sys/syscall.h>

#include "fuse_test.h"
#include "hook_test.h"

FIXTURE(nohz) {
	char *buffer;
	int cpu;
};

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

FIXTURE_SETUP(nohz)
{
	self->buffer = map_buffer(PAGE);
	self->cpu = quiet_cpu();
}

FIXTURE_TEARDOWN(nohz)
{
	stop();
	munmap(self->buffer, PAGE);
}

/* Samples of two seconds of CPU time. */
static uint64_t samples_alone(void)
{
	uint64_t before = query().books.seen;
	struct timespec now, end;
	int i;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	end.tv_sec += 2;
	do {
		/* No system call for many ticks. */
		for (i = 0; i < 10; i++)
			hot_a(1000000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	return query().books.seen - before;
}

TEST_F(nohz, a_lone_thread_on_a_quiet_cpu_is_sampled)
{
	if (self->cpu < 0)
		SKIP(return, "not booted with nohz_full=");
	pin_to(self->cpu);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	/* Some 500 are expected; without the tick dependency, a handful. */
	EXPECT_LT(50, samples_alone());
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

/* With a profile, this code gets many times the interrupts. */
static bool is_quiet(int cpu, char *buffer)
{
	unsigned long before = timer_interrupts(cpu), after;
	int i;

	for (i = 0; i < 200; i++)
		hot_a(1000000);
	after = timer_interrupts(cpu);
	if (set_region(all_region(buffer, 8)))
		return false;
	for (i = 0; i < 200; i++)
		hot_a(1000000);
	return (after - before) * 3 < query().books.seen;
}

/*
 * Waits for the work item that takes the hooks out, and the CPUs' ticks last.
 */
static bool hooks_are_out(void)
{
	if (armed_after_a_while())
		return false;
	do
		sleep(1);
	while (workers_in("disarm_if_unused") > 0);
	return true;
}

TEST_F(nohz, quiet_cpu_quiet_again_after_profile)
{
	if (self->cpu < 0)
		SKIP(return, "not booted with nohz_full=");
	pin_to(self->cpu);
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	samples_alone();
	stop();
	EXPECT_TRUE(hooks_are_out());
	EXPECT_TRUE(is_quiet(self->cpu, self->buffer));
}

/*
 * A call that is overtaken: its profile is replaced, and the next one ended,
 * before the call returns.  It was charged for more pages than it needs, since
 * a profile lost its buffer, and waits for mmap_lock to uncharge them.
 *
 * The threads of one process do one thing each, when their step has come.
 */
enum step { BEFORE, SET, REPLACE, HOLD, STOP, LOOK };

static struct stage {
	atomic_int step, ready;
	atomic_int tasks[LOOK];
	char *buffers, *never;
	int cpu, memory;
} *stage;

static void await(int step)
{
	while (stage->step < step)
		usleep(1000);
}

static void *act(void *arg)
{
	struct sched_param param = { 0 };
	int step = (long)arg;
	char byte;

	if (step == SET) {
		pin_to(stage->cpu);
		sched_setscheduler(0, SCHED_IDLE, &param);
	}
	stage->tasks[step] = syscall(SYS_gettid);
	/* Fault all pages in, because a later fault would need mmap_lock. */
	query();
	stage->ready++;
	await(step);
	switch (step) {
	case HOLD:
		/* Keeps mmap_lock until the server is gone. */
		pread64(stage->memory, &byte, 1, (uintptr_t)stage->never);
		break;
	case STOP:
		stop();
		break;
	default:
		set_region(all_region(stage->buffers + step * PAGE, 8));
	}
	return NULL;
}

static void play(void)
{
	char *lost = map_buffer(2 * PAGE);
	struct profil_region region = hot_region(lost, 8);
	pthread_t threads[LOOK];
	long i;

	stage->memory = open("/proc/self/mem", O_RDONLY);
	for (i = SET; i < LOOK; i++)
		if (pthread_create(&threads[i], NULL, act, (void *)i))
			_exit(2);
	while (stage->ready < LOOK - SET)
		usleep(1000);
	region.size = 2 * PAGE;
	if (set_region(region) || munmap(lost, 2 * PAGE))
		_exit(3);
	stage->ready++;
	while (stage->step < SET)
		hot_a(100000);
	await(LOOK);
	for (i = SET; i < LOOK; i++)
		pthread_join(threads[i], NULL);
	pin_to(stage->cpu);
	_exit(!is_quiet(stage->cpu, stage->buffers));
}

/* False if the steps came in another order, which the scheduler decides. */
static bool direct(void)
{
	pid_t hog;
	bool good;
	int tries;

	for (tries = 0; tries < 10000 && stage->ready <= LOOK - SET; tries++)
		usleep(1000);
	/*
	 * The work item that takes the hooks out runs: the call waits for it.
	 */
	if (armed_after_a_while())
		return false;
	stage->step = SET;
	if (!comes_into(stage->tasks[SET], "profil_hook_get"))
		return false;
	hog = fork_hog(stage->cpu);
	stage->step = REPLACE;
	good = comes_into(stage->tasks[REPLACE], "profil_hook_get");
	stage->step = HOLD;
	good = good && comes_into(stage->tasks[HOLD], "access_remote_vm") &&
	       is_in(stage->tasks[SET], "profil_hook_get");
	end(hog);
	if (!good || !comes_into(stage->tasks[SET], "profil_account_trim") ||
	    !comes_into(stage->tasks[REPLACE], "profil_refresh_end"))
		return false;
	stage->step = STOP;
	return hooks_are_out();
}

/* Exit status of a process that looks whether the CPU is quiet, or -1. */
static int quiet_after_a_late_call(struct fuse_server *server, const char *dir)
{
	bool good;
	pid_t pid;

	stage->never = map_unanswered(dir, NULL);
	stage->step = BEFORE;
	stage->ready = 0;
	pid = fork();
	if (!pid)
		play();
	good = direct();
	fuse_stop(server, dir);
	munmap(stage->never, PAGE);
	stage->step = LOOK;
	if (good)
		return end_of(pid);
	end(pid);
	return -1;
}

TEST_F(nohz, late_set_return_keeps_no_tick)
{
	struct fuse_server server;
	struct dump_area area;
	int tries, noisy = 0, status = -1;

	if (self->cpu < 0)
		SKIP(return, "not booted with nohz_full=");
	if (access("/proc/self/stack", F_OK))
		SKIP(return, "a kernel that does not tell where a task is");
	area = area_make();
	stage = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, stage);
	stage->cpu = self->cpu;
	stage->buffers = map_buffer(LOOK * PAGE);
	pin_to(!self->cpu);
	/* A kept tick is kept in each round; what a busy machine adds is not. */
	for (tries = 0; tries < 20 && status && noisy < 3; tries++) {
		server = fuse_start(area.dir);
		if (server.connection < 0)
			SKIP(return, "a kernel without FUSE");
		status = quiet_after_a_late_call(&server, area.dir);
		noisy += status > 0;
	}
	EXPECT_EQ(0, status);
	area_remove(&area);
}

TEST_HARNESS_MAIN
