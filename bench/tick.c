// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a tick: a process computes without a pause and reads from its
 * clock how long each tick interrupted it.
 *
 *	tick WIDTH REGIONS OTHERS TICKS TIMES
 *
 * REGIONS regions cover the text that it runs, with counters of WIDTH bytes;
 * with 0 it is not profiled.  Prints, TIMES times, "alone" and the median and
 * the mean of TICKS ticks, in instructions.  With OTHERS, that many sleeping
 * processes are profiled as well: it prints "beside", then ends its own
 * profile, measures again and prints "other".
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <profil/ioctl.h>

#include "work.h"

static char buffer[TEXT] __attribute__((aligned(4096)));
static struct profil_region regions[1024];
static int device;

static void start(uint32_t width, uint32_t nr)
{
	struct profil_set set = {
		.size = sizeof(set),
		.regions = (uintptr_t)regions,
		.nr_regions = nr,
		.region_size = sizeof(regions[0]),
	};
	uint64_t piece = TEXT / nr;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		regions[i].base = (uintptr_t)buffer + i * piece;
		regions[i].offset = (uintptr_t)work_text + i * piece;
		regions[i].size = piece;
		regions[i].scale = 0x10000;
		regions[i].width = width;
	}
	device = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0 || ioctl(device, PROFIL_IOC_SET, &set))
		err(1, PROFIL_DEVICE);
}

static void stop(void)
{
	struct profil_status status = { .size = sizeof(status) };

	if (ioctl(device, PROFIL_IOC_STOP, &status))
		err(1, PROFIL_DEVICE);
}

/* Children are profiled as their parent is, and go on when it stops. */
static void start_others(pid_t *pids, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			err(1, "fork");
		while (!pids[i])
			pause();
	}
}

static void end_others(const pid_t *pids, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

static void round_of_work(void)
{
	int i;

	for (i = 0; i < NR_FUNCTIONS; i++)
		work(i);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The time of a round above that of the shortest is the tick's. */
static void measure(const char *name, uint64_t *stolen, int nr)
{
	uint64_t shortest = ~0ULL, sum = 0, then, end;
	int i;

	for (i = 0; i < 1000; i++) {
		then = now();
		round_of_work();
		end = now();
		if (end - then < shortest)
			shortest = end - then;
	}
	/* Consecutive readings of the clock, so that no time is left out. */
	for (i = 0; i < nr; then = end) {
		round_of_work();
		end = now();
		if (end - then > shortest + 500)
			stolen[i++] = end - then - shortest;
	}
	for (i = 0; i < nr; i++)
		sum += stolen[i];
	qsort(stolen, nr, sizeof(*stolen), compare);
	printf("%s %lu %.0f\n", name, stolen[nr / 2], (double)sum / nr);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int width, nr_regions, nr_others, nr_ticks, times, i;
	uint64_t *stolen;
	pid_t *pids;

	if (argc != 6)
		errx(2, "usage: tick WIDTH REGIONS OTHERS TICKS TIMES");
	width = atoi(argv[1]);
	nr_regions = atoi(argv[2]);
	nr_others = atoi(argv[3]);
	nr_ticks = atoi(argv[4]);
	times = atoi(argv[5]);
	stolen = malloc(nr_ticks * sizeof(*stolen));
	pids = malloc((nr_others + 1) * sizeof(*pids));
	if (!stolen || !pids)
		err(1, "malloc");
	memset(stolen, 0, nr_ticks * sizeof(*stolen));
	if (nr_regions)
		start(width, nr_regions);
	start_others(pids, nr_others);
	for (i = 0; i < times; i++)
		measure(nr_others ? "beside" : "alone", stolen, nr_ticks);
	if (nr_others && nr_regions) {
		stop();
		for (i = 0; i < times; i++)
			measure("other", stolen, nr_ticks);
	}
	end_others(pids, nr_others);
	return 0;
}
