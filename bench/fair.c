// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is every nanosecond of CPU time as likely to be seen as any other?
 *
 *	fair HOW RATE OTHER-RATE RUNS MS
 *
 * A child works for MS of CPU time under an observer of RATE.  HOW it works:
 *
 *	free	 all the time
 *	between	 between two ticks, and sleeps over each
 *	stints	 100 us at a time
 *	system	 in system calls
 *	step-N	 once a tick, from N sevenths of a tick after one on
 *	two	 as free, with a second observer, of OTHER-RATE
 *	own	 as free, with bins of its own, of OTHER-RATE
 *	wrong	 as free, but tells of one call in four as of another
 *		 function's: what a chi-square has to find
 *
 * Prints a line for each rate: what was seen, what was due by CPU time, and how
 * many of those seen were lost or have no place.  Then the sum of chi-square over
 * the functions of each run, and its degrees of freedom.
 */
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "observer.h"

/* What the kernel does of a thread's CPU time outside the sampled part. */
#define WAKE_NS		700
#define EXIT_NS		7000

#define STINT_NS	100000
#define OWN_SCALE	0x10000

/* Written by the child, read by the parent. */
struct told {
	uint64_t calls[NR_FUNCTIONS];
	uint64_t wakes;
	uint64_t before_ns;	/* CPU time at the JOIN */
	uint64_t own_seen;
	uint64_t own_missed;
	uint64_t own_ns;
	uint64_t own_in[NR_FUNCTIONS];
};

struct rate {
	struct observer observer;
	uint32_t rate_hz;
	uint64_t in[NR_FUNCTIONS];	/* of one run */
	uint64_t seen;
	double due;
	uint64_t missed;	/* seen, but lost or without a place */
	double chi;
	int freedom;
};

static struct told *told;
static bool wrong;
static uint64_t seed = 88172645463325252ULL;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void work_until(uint64_t end)
{
	int i;

	while (clock_ns(CLOCK_MONOTONIC) < end) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		i = (seed >> 20) % NR_FUNCTIONS;
		told->calls[wrong && (seed >> 32) % 4 == 0 ? i / 2 : i]++;
		work(i);
	}
}

static void sleep_until(uint64_t at)
{
	struct timespec ts = {
		.tv_sec = at / 1000000000,
		.tv_nsec = at % 1000000000,
	};

	told->wakes++;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* The coarse clock moves with the tick. */
static uint64_t find_tick(void)
{
	uint64_t then = clock_ns(CLOCK_MONOTONIC_COARSE), tick;

	do {
		tick = clock_ns(CLOCK_MONOTONIC_COARSE);
	} while (tick == then);
	return tick;
}

/* Once a tick, from one place in it to another. */
static void work_in_step(uint64_t from, uint64_t to, uint64_t cpu_ns)
{
	uint64_t tick = find_tick();

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < cpu_ns) {
		tick += TICK;
		sleep_until(tick + from);
		work_until(tick + to);
	}
}

static void work_in_stints(uint64_t cpu_ns)
{
	uint64_t begin;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < cpu_ns) {
		begin = clock_ns(CLOCK_MONOTONIC);
		work_until(begin + STINT_NS);
		sleep_until(begin + 3 * STINT_NS);
	}
}

static void work_in_system(uint64_t cpu_ns)
{
	static char buffer[1 << 16];
	int fd = open("/dev/zero", O_RDONLY);

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < cpu_ns)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			die("read");
}

static void work_as(const char *how, uint64_t cpu_ns)
{
	uint64_t from;

	if (!strcmp(how, "between"))
		return work_in_step(TICK / 5, 4 * TICK / 5, cpu_ns);
	if (!strcmp(how, "stints"))
		return work_in_stints(cpu_ns);
	if (!strcmp(how, "system"))
		return work_in_system(cpu_ns);
	if (sscanf(how, "step-%lu", &from) == 1) {
		from = from * TICK / 7;
		return work_in_step(from, from + TICK / 4, cpu_ns);
	}
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < cpu_ns)
		work_until(clock_ns(CLOCK_MONOTONIC) + TICK);
}

static uint32_t *set_own(int device, uint32_t rate_hz)
{
	/* A bin of four bytes for four bytes of text. */
	uint32_t *bins = mmap(NULL, TEXT, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct profil_region region = {
		.base = (uintptr_t)bins,
		.size = TEXT,
		.offset = (uintptr_t)work_text,
		.scale = OWN_SCALE,
		.width = 4,
	};
	struct profil_set set = {
		.size = sizeof(set),
		.regions = (uintptr_t)&region,
		.nr_regions = 1,
		.region_size = sizeof(region),
		.rate_hz = rate_hz,
	};

	memset(bins, 0, TEXT);
	if (ioctl(device, PROFIL_IOC_SET, &set))
		die("set");
	told->own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	return bins;
}

static void stop_own(int device, const uint32_t *bins)
{
	struct profil_status status = { .size = sizeof(status) };
	int i;

	told->own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - told->own_ns;
	if (ioctl(device, PROFIL_IOC_STOP, &status))
		die("stop");
	told->own_seen = status.books.seen;
	told->own_missed = status.books.lost;
	for (i = 0; i < TEXT / 4; i++)
		told->own_in[i / (SLOT / 4)] += bins[i];
}

static void run_child(const char *how, struct rate *rates, int observers,
		      uint32_t own_hz, uint64_t cpu_ns)
{
	uint32_t *bins = NULL;
	int device = open(PROFIL_DEVICE, O_RDWR), i;

	for (i = 0; i < observers; i++)
		observer_join(&rates[i].observer);
	told->before_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (own_hz)
		bins = set_own(device, own_hz);
	work_as(how, told->before_ns + cpu_ns);
	if (own_hz)
		stop_own(device, bins);
	_exit(0);
}

static void see_function(void *data, const struct profil_node *nodes, uint32_t i)
{
	uint64_t pc = nodes[i].pc & ~PROFIL_NODE_KERNEL;
	struct rate *rate = data;

	if (pc - (uintptr_t)work_text < TEXT)
		rate->in[(pc - (uintptr_t)work_text) / SLOT] += nodes[i].count;
}

static void add_run(struct rate *rate, uint64_t seen, uint64_t missed, double ns)
{
	double cost = 0, sum = 0, expected;
	int i;

	rate->seen += seen;
	rate->missed += missed;
	rate->due += ns / 1e9 * rate->rate_hz;
	for (i = 0; i < NR_FUNCTIONS; i++) {
		cost += told->calls[i] * work_cost(i);
		sum += rate->in[i];
	}
	if (!sum || !cost)
		return;
	for (i = 0; i < NR_FUNCTIONS; i++) {
		expected = sum * told->calls[i] * work_cost(i) / cost;
		rate->chi += (rate->in[i] - expected) *
			     (rate->in[i] - expected) / expected;
	}
	rate->freedom += NR_FUNCTIONS - 1;
}

static uint64_t missed(const struct observer *observer)
{
	return observer->sum.lost + observer->sum.unplaced +
	       observer->sum.refused;
}

static double cpu_of(const struct rusage *usage)
{
	return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e9 +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e3;
}

static void run(const char *how, struct rate *rates, int observers,
		uint32_t own_hz, uint64_t cpu_ns)
{
	struct rusage usage;
	uint64_t seen, lost;
	double ns;
	int i, status;
	pid_t pid;

	memset(told, 0, sizeof(*told));
	pid = fork();
	if (!pid)
		run_child(how, rates, observers, own_hz, cpu_ns);
	if (wait4(pid, &status, 0, &usage) != pid || status)
		die("child");
	ns = cpu_of(&usage) - told->before_ns - EXIT_NS - WAKE_NS * told->wakes;
	for (i = 0; i < observers; i++) {
		memset(rates[i].in, 0, sizeof(rates[i].in));
		seen = rates[i].observer.sum.seen;
		lost = missed(&rates[i].observer);
		observer_read(&rates[i].observer, see_function, &rates[i]);
		add_run(&rates[i], rates[i].observer.sum.seen - seen,
			missed(&rates[i].observer) - lost, ns);
	}
	if (own_hz) {
		memcpy(rates[1].in, told->own_in, sizeof(told->own_in));
		add_run(&rates[1], told->own_seen, told->own_missed,
			told->own_ns);
	}
}

int main(int argc, char **argv)
{
	int observers, runs, nr = 1, i;
	struct rate rates[2] = { 0 };
	bool own;

	if (argc != 6) {
		fputs("usage: fair HOW RATE OTHER-RATE RUNS MS\n", stderr);
		return 2;
	}
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	own = !strcmp(argv[1], "own");
	wrong = !strcmp(argv[1], "wrong");
	observers = strcmp(argv[1], "two") ? 1 : 2;
	nr = own ? 2 : observers;
	for (i = 0; i < nr; i++)
		rates[i].rate_hz = atoi(argv[2 + i]);
	for (i = 0; i < observers; i++)
		observer_open(&rates[i].observer, rates[i].rate_hz, 1);
	runs = atoi(argv[4]);
	for (i = 0; i < runs; i++) {
		seed += i * 0x9e3779b97f4a7c15ULL;
		run(argv[1], rates, observers, own ? rates[1].rate_hz : 0,
		    strtoull(argv[5], NULL, 0) * 1000000);
	}
	for (i = 0; i < nr; i++)
		printf("%s-%u %lu %.0f %lu %.1f %d\n", argv[1],
		       rates[i].rate_hz, rates[i].seen, rates[i].due,
		       rates[i].missed, rates[i].chi, rates[i].freedom);
	return 0;
}
