// SPDX-License-Identifier: GPL-2.0-only
/*
 * 1,000 programs of a shell script that live for one slice: what is seen of them is
 * what is due, and each is told of.  For a guest whose clock counts instructions,
 * where no timer is late.
 */
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "machine_test.h"
#include "observe_test.h"

#define PROGRAMS	1000
#define SLICE_MS	3
#define RATE		1000
#define EXIT_NS		7000	/* of an exit, after its hook */

FIXTURE(observe_short) {
	struct observer *o;
	char path[PATH_MAX];
	struct stat stat;
};

FIXTURE_SETUP(observe_short)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
	ASSERT_LT(0, readlink("/proc/self/exe", self->path, PATH_MAX - 1));
	ASSERT_EQ(0, stat(self->path, &self->stat));
}

FIXTURE_TEARDOWN(observe_short)
{
	free(self->o);
}

/* What the script starts. */
static void __attribute__((constructor)) be_short(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "short"))
		return;
	burn_ms(SLICE_MS);
	_exit(getpid() & 63);
}

static void run_script(const char *program)
{
	char script[PATH_MAX + 128];

	snprintf(script, sizeof(script),
		 "i=0; while [ $i -lt %d ]; do %s short; i=$((i+1)); done; exit 0",
		 PROGRAMS, program);
	execl("/bin/sh", "sh", "-c", script, NULL);
	_exit(1);
}

/* The CPU time of all followed, as the last SWAP tells it. */
static double told_ns(const struct observer *o)
{
	uint64_t a = o->map->half[0].cpu_ns, b = o->map->half[1].cpu_ns;

	return a > b ? a : b;
}

/* CPU time of the script and all that it ran, since it joined. */
static double follow_script(struct observer *o, const char *program)
{
	uint64_t *joined = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct rusage usage;
	int status = -1;
	double ns;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (observe_join(o->fd, 0, 0, 0))
			_exit(1);
		*joined = cpu_ns();
		run_script(program);
	}
	while (!wait4(pid, &status, WNOHANG, &usage)) {
		usleep(100000);
		if (observe_swap(o))
			return 0;
	}
	ns = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
	     (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
	ns -= *joined + (PROGRAMS + 1.0) * EXIT_NS;
	munmap(joined, PAGE);
	return status || observe_read(o) ? 0 : ns;
}

/* Since Linux 6.16, with another field; its memory goes behind the hook then. */
static bool tells_of_exits_early(void)
{
	FILE *file = fopen("/sys/kernel/tracing/events/sched/sched_process_exit/format",
			   "r");
	char line[300];
	bool early = false;

	while (file && !early && fgets(line, sizeof(line), file))
		early = strstr(line, "group_dead");
	if (file)
		fclose(file);
	return early;
}

static const struct profil_end *end_of_image(const struct observer *o,
					     uint32_t number)
{
	uint32_t i;

	for (i = 0; i < o->nr_ends; i++)
		if (o->end[i].image == number)
			return &o->end[i];
	return NULL;
}

static bool is_told(const struct observer *o, const struct profil_image *image,
		    const char *path, ino_t ino)
{
	const struct profil_end *end = end_of_image(o, image->number);

	return !strcmp(image->path, path) && image->dev && image->ino == ino &&
	       image->start_code && image->phdr && image->entry && image->base &&
	       end && end->status == (image->pid & 63) << 8 &&
	       end->cpu_ns > SLICE_MS * 1000000 &&
	       end->cpu_ns < SLICE_MS * 100000000;
}

TEST_F(observe_short, short_processes_are_seen_and_told)
{
	struct profil_observe args = observe_args(RATE);
	struct observer *o = self->o;
	uint32_t i, told = 0, untold = 0;
	uint64_t placed = 0;
	double due, far, cpu;

	args.images = 1024;
	ASSERT_EQ(0, observe_open_with(o, &args));
	due = follow_script(o, self->path) / 1e9 * RATE;
	far = o->sum.seen - due;
	cpu = told_ns(o) / 1e9 * RATE;
	for (i = 0; i < o->nr_images; i++) {
		placed += o->by_image[o->image[i].number];
		if (o->image[i].how != PROFIL_IMAGE_EXEC ||
		    !strcmp(o->image[i].comm, "sh"))
			continue;
		if (is_told(o, &o->image[i], self->path, self->stat.st_ino))
			told++;
		else
			untold++;
	}
	TH_LOG("%llu seen, %.0f due, %.0f by what is told; %u programs told",
	       (unsigned long long)o->sum.seen, due, cpu, told);
	EXPECT_TRUE(o->balanced);
	EXPECT_EQ(0, o->sum.unplaced);
	EXPECT_EQ(o->sum.counted, placed);
	EXPECT_LT(PROGRAMS * SLICE_MS / 1000.0 * RATE, due);
	EXPECT_EQ(0, untold);
	/* One in 20 has no sample. */
	EXPECT_LT(PROGRAMS * 9 / 10, told);
	EXPECT_GE(PROGRAMS, told);
	observe_close(o);
	if (has_slow_kernel())
		SKIP(return, "a kernel that checks its memory accesses");
	if (tells_of_exits_early())
		SKIP(return, "a kernel that tells of an exit before its memory goes");
	EXPECT_LT(0.99 * due, cpu);
	EXPECT_GT(1.01 * due, cpu);
	EXPECT_EQ(0, o->sum.lost);
	EXPECT_GT(16 * due, far * far);
}

TEST_HARNESS_MAIN
