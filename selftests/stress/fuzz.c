// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fuzzer: processes that call the device, change their memory, fork, exec
 * and die at random, while the machine is changed beneath them.  Nothing may
 * be out of balance, hang, or stay; the runner looks for splats.
 *
 * FUZZ_SEED=N repeats a round: the same numbers, if not the same meetings.
 * FUZZ_SECONDS=N goes on for so long, with the next seeds.
 */
#include <sys/random.h>

#include "dump_test.h"
#include "fuzz_process.h"
#include "machine_test.h"

#define WORKERS		FUZZ_WORKERS
#define THREADS		3
#define STEPS		150
#define LIMIT		300	/* seconds for a step; only a hang takes more */

static struct fuzz_report *report;
static char dump_dir[] = "/tmp/profil_fuzz_XXXXXX";

/* Wakes each thread that waits for an answer. */
static volatile bool over;

static void *answerer(void *arg)
{
	int fd;

	while (!over) {
		usleep(30000);
		fd = take_uffd(-1);
		if (fd >= 0)
			close_uffd(fd);
	}
	return arg;
}

static void *worker_thread(void *arg)
{
	fuzz_do_steps(arg, STEPS);
	return NULL;
}

#define CGROUP	"/sys/fs/cgroup/profil_fuzz"

/* Its cgroup is short of memory, so the OOM killer may come. */
static bool is_short(uint64_t seed)
{
	return seed % 5 == 4;
}

/* Half of the workers are not root; some are short of memory. */
static int become(uint64_t seed)
{
	if (is_short(seed))
		write_file(CGROUP "/cgroup.procs", "0");
	if (seed % 4 == 1)
		return unshare(CLONE_NEWUSER);
	return seed % 2 ? setgid(65534) || setuid(65534) : 0;
}

/* After all stopped, the sums of the counters must be right. */
static void check_end(struct fuzz *f)
{
	struct profil_status status;
	char *buffer;

	buffer = map_buffer(PAGE);
	if (set_region(all_region(buffer, 8)))
		return;
	hot_a(3000000);
	status = stop();
	fuzz_judge(f, &status);
	if (status.books.binned != counter(buffer, 8, 0))
		fuzz_fail(f, "%llu are binned, %llu counted",
			  (unsigned long long)status.books.binned,
			  (unsigned long long)counter(buffer, 8, 0));
}

static void worker(int number, uint64_t seed)
{
	struct fuzz threads[THREADS] = { 0 };
	int i, nr = seed % 2 ? THREADS : 1;
	pthread_t ids[THREADS], id;

	for (i = 0; i < nr; i++) {
		struct fuzz *f = &threads[i];

		fuzz_seed(f, seed * THREADS + i);
		f->worker = number;
		f->report = report;
		f->arena = fuzz_map_arena();
		f->answers = fuzz_map_answers(i);
		f->device = open(PROFIL_DEVICE, O_RDWR);
		f->dir = open(dump_dir, O_RDONLY | O_DIRECTORY);
		f->alone = nr == 1;
		f->poor = seed % 3 == 2;
		f->wipes = seed / 4 % 2;
	}
	if (become(seed) || pthread_create(&id, NULL, answerer, NULL))
		_exit(2);
	for (i = 1; i < nr; i++)
		if (pthread_create(&ids[i], NULL, worker_thread, &threads[i]))
			_exit(2);
	worker_thread(&threads[0]);
	for (i = 1; i < nr; i++)
		pthread_join(ids[i], NULL);
	over = true;
	pthread_join(id, NULL);
	check_end(&threads[0]);
	_exit(0);
}

/* Workers with failing allocations, on a kernel with fault injection. */
static void let_fail(void)
{
	static const char *const knobs[] = {
		"failslab/ignore-gfp-wait", "failslab/verbose",
		"fail_page_alloc/ignore-gfp-wait", "fail_page_alloc/verbose",
		"fail_page_alloc/min-order"
	};
	char name[80];
	size_t i;

	for (i = 0; i < sizeof(knobs) / sizeof(*knobs); i++) {
		snprintf(name, sizeof(name), "/sys/kernel/debug/%s", knobs[i]);
		write_file(name, strstr(name, "wait") ? "N" : "0");
	}
}

#define CPU "/sys/devices/system/cpu/cpu1/online"

/* Actions of root meanwhile. */
static void machine(struct fuzz *f)
{
	switch (below(f, 12)) {
	case 0:
		write_file(CPU, "0");
		break;
	case 1:
		write_file("/proc/sys/kernel/ftrace_enabled", "0");
		break;
	case 2:
		write_file("/proc/sys/vm/compact_memory", "1");
		break;
	case 3:
		write_file("/proc/sys/vm/drop_caches", "3");
		break;
	case 4:
		/* A descriptor is open. */
		if (!syscall(SYS_delete_module, "profil", O_NONBLOCK))
			fuzz_fail(f, "the module could be unloaded");
		break;
	case 5:
		listed();
		break;
	}
	usleep(50000);
	write_file(CPU, "1");
	write_file("/proc/sys/kernel/ftrace_enabled", "1");
}

/* Time of the last known step of each worker. */
struct progress {
	unsigned int steps[WORKERS];
	time_t when[WORKERS];
};

static bool hangs(struct progress *progress, int i)
{
	unsigned int steps = report->workers[i].steps;

	if (steps != progress->steps[i] || !progress->when[i]) {
		progress->steps[i] = steps;
		progress->when[i] = now();
	}
	return now() - progress->when[i] >= LIMIT;
}

/* Its kernel stacks, and the tasks that it may wait for. */
static void print_stacks(void)
{
	static const char print[] =
		"grep . $(grep -l ^fuzz /proc/*/comm | sed s,comm,task/*/stack,) | sed 's/^/# /'";

	if (system(print))
		ksft_print_msg("no stacks\n");
}

/* How many workers were stopped, or ended in a wrong way. */
static int play(uint64_t seed)
{
	struct progress progress = { 0 };
	struct fuzz f = { .report = report };
	int i, status, left = 0, bad = 0;
	pid_t pids[WORKERS], pid;

	fuzz_seed(&f, seed);
	for (i = 0; i < WORKERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			worker(i, seed * WORKERS + i);
		left += pids[i] > 0;
	}
	while (left) {
		machine(&f);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			for (i = 0; i < WORKERS && pids[i] != pid; i++)
				;
			if (i == WORKERS)
				continue;
			left--;
			pids[i] = 0;
			if (!status || is_short(seed * WORKERS + i))
				continue;
			ksft_print_msg("worker %d: status %#x\n", i, status);
			bad++;
		}
		/* The harness finds a worker that still hangs. */
		for (i = 0; i < WORKERS; i++) {
			if (pids[i] <= 0 || !hangs(&progress, i))
				continue;
			ksft_print_msg("worker %d hangs, %u steps, after %s\n",
				       i, progress.steps[i],
				       report->workers[i].last);
			print_stacks();
			kill(pids[i], SIGKILL);
			progress.when[i] = 0;
			bad++;
		}
	}
	return bad;
}

FIXTURE(fuzz) {
	uint64_t seed;
	time_t end;
};

FIXTURE_SETUP(fuzz)
{
	/* What is said before an assertion fails must be seen. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, report);
	ASSERT_EQ(0, getrandom(&self->seed, sizeof(self->seed), 0) < 0);
	self->seed = number("FUZZ_SEED", self->seed % 1000000000);
	self->end = now() + number("FUZZ_SECONDS", 0);
	ASSERT_NE(NULL, mkdtemp(dump_dir));
	ASSERT_EQ(0, chmod(dump_dir, 0777));
	profil_fd();
	if (!group_create(CGROUP))
		write_file(CGROUP "/memory.max", "16M");
	let_fail();
}

FIXTURE_TEARDOWN(fuzz)
{
	char command[60];

	rmdir(CGROUP);
	snprintf(command, sizeof(command), "rm -rf %s", dump_dir);
	EXPECT_EQ(0, system(command));
	munmap(report, sizeof(*report));
}

/* What the rounds reached. */
static void print_sets(void)
{
	int err;

	for (err = 0; err < FUZZ_ERRORS; err++)
		if (report->sets[err])
			ksft_print_msg("set: %u x %s\n", report->sets[err],
				       strerror(err));
}

/* The harness's limit is for all rounds. */
TEST_F_TIMEOUT(fuzz, nothing_breaks_hangs_or_stays, 1000000)
{
	int i;

	do {
		ksft_print_msg("FUZZ_SEED=%llu\n",
			       (unsigned long long)self->seed);
		/* A splat ends the guest. */
		fflush(stdout);
		ASSERT_EQ(0, play(self->seed++));
		if (report->failed)
			ksft_print_msg("%s", report->text);
		fflush(stdout);
		ASSERT_EQ(0, report->failed);
	} while (now() < self->end);
	print_sets();
	fflush(stdout);
	EXPECT_LE(20, report->sets[0]);
	EXPECT_LE(20, report->sets[EINVAL]);
	EXPECT_LE(20, report->sets[EFAULT]);
	for (i = 0; i < 6000 && listed(); i++)
		usleep(10000);
	EXPECT_EQ(0, listed());
}

TEST_HARNESS_MAIN
