// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library's insides, compiled with the sanitizers: arcs under threads and
 * in a full table, files of counters beyond 16 bits, and wrong arguments.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <profil.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dso/dso.h"
#include "points.h"

#define THREADS	8
#define CALLS	100000
#define LOW	0x400000UL

static struct profil_wiped wiped;
static struct profil_arc slots[8192];
static struct profil_arcs arcs = {
	.low = LOW, .size = 0x10000, .slots = slots, .wiped = &wiped,
};

static void arcs_reset(uint32_t nr)
{
	memset(slots, 0, sizeof(slots));
	memset(&wiped, 0, sizeof(wiped));
	arcs.mask = nr - 1;
	profil_arcs_on = &arcs;
}

static uint64_t arcs_sum(void)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i <= arcs.mask; i++)
		sum += profil_arc_calls(&slots[i]);
	return sum;
}

static void *count_many(void *arg)
{
	uintptr_t i;

	for (i = 0; i < CALLS; i++)
		profil_arc_count(LOW + 1 + i % 300, LOW + 0x800 + i % 7);
	return arg;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	int i;

	arcs_reset(8192);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count_many, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	result(arcs_sum() == THREADS * CALLS && !wiped.calls_lost,
	       "arcs: eight threads, no call lost");
}

static int takes(const struct profil_region *region, uint64_t pc)
{
	uint64_t byte = (pc - region->offset) * region->scale / 65536;

	if (pc < region->offset ||
	    (region->flags & PROFIL_REGION_F_OVERFLOW))
		return 0;
	return byte - byte % region->width + region->width <= region->size;
}

/* The kernel's rule; -1: no region. */
static int taker(const struct profil_region *regions, int nr, uint64_t pc)
{
	int best = -1, i;

	for (i = 0; i < nr; i++)
		if (takes(&regions[i], pc) &&
		    (best < 0 || regions[i].offset > regions[best].offset))
			best = i;
	for (i = 0; best < 0 && i < nr; i++)
		if (regions[i].flags & PROFIL_REGION_F_OVERFLOW &&
		    pc >= regions[i].offset)
			best = i;
	return best;
}

static struct profil_region region_any(unsigned int *seed)
{
	struct profil_region region = {
		.base = 0x1000, .width = 2u << rand_r(seed) % 3,
		.offset = (uint64_t)(rand_r(seed) % 1500),
		.scale = 1u + (uint32_t)rand_r(seed) % 0x20000,
	};

	region.size = region.width + (uint64_t)(rand_r(seed) % 700);
	if (rand_r(seed) % 16 == 0) {
		region.flags = PROFIL_REGION_F_OVERFLOW;
		region.scale = 2;
		region.size = region.width;
	}
	return region;
}

/* How many pcs are counted otherwise than they should be. */
static unsigned int cut_wrong(unsigned int *seed)
{
	struct profil_region regions[5];
	struct profil_region text = {
		.base = 0x1000, .width = 4, .offset = 256,
	};
	unsigned int bin = 2u << rand_r(seed) % 6, lost = 0, wrong = 0;
	int nr = 1 + rand_r(seed) % 4, i;
	bool overlap = false, left, both = false;
	uint64_t pc;

	for (i = 0; i < nr; i++)
		regions[i] = region_any(seed);
	/* One overflow region is all that the kernel takes. */
	for (i = 0; i < nr - 1; i++)
		regions[i].flags = 0;
	text.scale = 65536 / bin * text.width;
	text.size = 1024 / bin * text.width;
	regions[nr] = text;
	left = profil_region_cut(&regions[nr], regions, (uint32_t)nr, &overlap);
	for (pc = 0; pc < 4096; pc++) {
		int alone = taker(regions, nr, pc);
		int beside = taker(regions, nr + left, pc);

		both |= alone >= 0 && takes(&text, pc);
		if (alone >= 0)
			wrong += beside != alone;
		else if (takes(&text, pc))
			lost += beside != nr;
		else
			wrong += beside >= 0;
	}
	/* A cut is at the end of a bin, one before and one behind. */
	return wrong + (lost > 2 * bin) + (both && !overlap);
}

static void test_cut(void)
{
	unsigned int seed = 1, wrong = 0, i;

	for (i = 0; i < 20000; i++)
		wrong += cut_wrong(&seed);
	result(!wrong, "cut: the program's own regions count as alone");
}

static void test_full(void)
{
	uintptr_t i;

	arcs_reset(64);
	for (i = 0; i < 1000; i++)
		profil_arc_count(LOW + 1 + i, LOW + 0x800);
	result(arcs_sum() == 64 && wiped.calls_lost == 936,
	       "arcs: a full table loses what has no slot, and says how many");
	for (i = 0; i < 64; i++)
		profil_arc_count(LOW + 1 + i, LOW + 0x800);
	result(wiped.calls_lost + arcs_sum() == 1064,
	       "arcs: a full table still counts what has one");
}

static void test_outside(void)
{
	arcs_reset(64);
	profil_arc_count(LOW - 1, LOW + 5);
	profil_arc_count(LOW + 5, LOW - 1);
	profil_arc_count(LOW + 0x10001, LOW + 5);
	profil_arc_count((uintptr_t)-1, 0);
	result(!arcs_sum() && !wiped.calls_lost, "arcs: not from other text");
	profil_arcs_on = NULL;
	profil_arc_count(LOW + 5, LOW + 5);
	result(!arcs_sum(), "arcs: nothing is counted while off");
}

static void test_carry(void)
{
	arcs_reset(64);
	profil_arc_count(LOW + 5, LOW + 9);
	for (uint32_t i = 0; i <= arcs.mask; i++)
		if (slots[i].key)
			slots[i].count[0] = UINT32_MAX;
	profil_arc_count(LOW + 5, LOW + 9);
	result(arcs_sum() == (uint64_t)UINT32_MAX + 1,
	       "arcs: a count goes on beyond 32 bits");
}

static struct profil_wide *wide;

static void *count_wide(void *arg)
{
	uintptr_t i;

	for (i = 0; i < CALLS; i++)
		profil_wide_count(wide, i % 300, LOW + i % 7);
	return arg;
}

static uint64_t wide_take_all(void)
{
	uint32_t used = profil_wide_used(wide);
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < used; i++)
		sum += profil_wide_take(wide, i);
	return sum;
}

static void test_wide(void)
{
	pthread_t threads[THREADS];
	uint64_t taken = 0;
	uint32_t lost = 0;
	uintptr_t i;

	wide = profil_wide_alloc();
	if (!wide)
		abort();
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count_wide, NULL);
	for (i = 0; i < 100; i++)
		taken += wide_take_all();
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	result(taken + wide_take_all() == THREADS * CALLS,
	       "wide arcs: eight threads, and one that takes: no call lost");
	result(profil_wide_used(wide) < 300 * 7 * THREADS,
	       "wide arcs: an entry an arc, but for races");
	for (i = 0; i < PROFIL_WIDE_MAX; i++)
		lost += !profil_wide_count(wide, i, ~i);
	result(lost && wide_take_all() + lost == PROFIL_WIDE_MAX,
	       "wide arcs: a full table loses what has no entry");
	result(profil_wide_used(wide) == PROFIL_WIDE_MAX,
	       "wide arcs: all of it is used");
}

#define ARCS	50000u

/* Each arc by every thread: chunks are mapped while others look. */
static void *count_growing(void *arg)
{
	uintptr_t i;

	for (i = 0; i < ARCS; i++)
		profil_wide_count(wide, LOW + i, LOW + i / 7);
	return arg;
}

static void test_growing(void)
{
	static uint32_t calls[ARCS];
	pthread_t threads[THREADS];
	uint32_t i, bad = 0;

	wide = profil_wide_alloc();
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count_growing, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < profil_wide_used(wide); i++)
		calls[profil_wide_from(wide, i) - LOW] +=
			(uint32_t)profil_wide_take(wide, i);
	for (i = 0; i < ARCS; i++)
		bad += calls[i] != THREADS;
	result(!bad && !profil_wide_stuck(wide),
	       "wide arcs: eight threads, no call lost as the room grows");
}

static void test_kept(void)
{
	struct profil_kept *kept = NULL;
	bool good = true;
	uint64_t sum = 0;
	uintptr_t i;

	for (i = 0; i < 5000; i++)
		good &= !profil_kept_add(&kept, i % 1000, i % 500, i);
	for (i = 0; i <= kept->mask; i++)
		sum += kept->slots[i].calls;
	result(good && sum == 5000 * 4999 / 2 && *kept->used == 1000,
	       "kept calls: a table that grows keeps them");
	profil_kept_forget(kept);
	result(!*kept->used && !profil_kept_add(&kept, 1, 2, 3) &&
	       *kept->used == 1, "kept calls: forgotten");
}

/* For gprof: two counters and an arc that no one record can hold. */
static void write_big(uintptr_t low, uintptr_t high, uintptr_t pc_one,
		      uintptr_t pc_two)
{
	struct profil_gmon gmon = { .bin_text = 2, .width = 4, .hz = 100 };
	char name[64];
	uint32_t *bins;

	gmon.low = low & -2UL;
	gmon.high = (high + 1) & -2UL;
	bins = calloc(profil_gmon_bins(&gmon), 4);
	gmon.hist = bins;
	bins[(pc_one - gmon.low) / 2] = 300000;
	bins[(pc_two - gmon.low) / 2] = 100000;
	arcs_reset(64);
	gmon.arcs = arcs;
	gmon.arcs.low = low;
	slots[3].key = (uint64_t)(pc_one - low + 8) << 32 | (pc_two - low + 4);
	slots[3].count[0] = 5;
	slots[3].count[1] = 1;
	wiped.original = 1;
	result(profil_gmon_write(&gmon, name, sizeof(name)) == 0 &&
	       !strcmp(name, "gmon.out"), "gmon.out: written");
	free(bins);
}

static void test_file(void)
{
	struct profil_gmon gmon = { .bin_text = 4, .width = 2, .hz = 100,
				    .low = LOW, .high = LOW + 16 };
	uint16_t bins[4] = { 1, 2, 3, 4 };
	char name[64];

	arcs_reset(64);
	wiped.original = 1;
	gmon.arcs = arcs;
	gmon.hist = bins;
	setenv("GMON_OUT_PREFIX", "dir/link", 1);
	mkdir("dir", 0700);
	snprintf(name, sizeof(name), "dir/link.%d", (int)getpid());
	if (symlink("target", name) != 0)
		abort();
	result(profil_gmon_write(&gmon, name, sizeof(name)) == 0 &&
	       !strcmp(name, "gmon.out") && access("dir/target", F_OK) != 0,
	       "gmon.out: a link is not followed, the plain name serves");
	unsetenv("GMON_OUT_PREFIX");
	unlink("gmon.out");
	if (mkfifo("gmon.out", 0600) != 0)
		abort();
	result(profil_gmon_write(&gmon, name, sizeof(name)) != 0,
	       "gmon.out: a FIFO is an error, and does not hang");
	unlink("gmon.out");
	if (symlink("/dev/full", "gmon.out") != 0)
		abort();
	result(profil_gmon_write(&gmon, name, sizeof(name)) != 0 &&
	       errno == ELOOP, "gmon.out: a link is an error");
	unlink("gmon.out");
}

static bool refused(int ret, int error)
{
	return ret == -1 && errno == error;
}

/* Without these attributes the compiler would know better than to ask. */
static int (*volatile call)(unsigned short *, size_t, size_t, unsigned int) =
	profil;

static void test_arguments(void)
{
	static unsigned short buf[4096];
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct timeval tick = { 1, 1 };
	struct prof prof = { buf, sizeof(buf), 0, 0x10000 };

	result(call(NULL, 0, 0, 0) == 0 && call(buf, 64, 0, 0) == 0,
	       "profil: ending what is not on is no error");
	result(call(buf, sizeof(buf), 0, 0x20000) == 0 &&
	       call(buf, 65, 0, 1) == 0 && call(buf, 64, 0, 2) == 0,
	       "profil: scales from 1 to 0x20000, an odd size");
	result(refused(call(buf, 64, 0, 0x20001), EINVAL) &&
	       refused(call(buf, 64, 0, ~0u), EINVAL) &&
	       refused(call((void *)((char *)buf + 1), 64, 0, 1), EINVAL),
	       "profil: EINVAL for a scale or an alignment");
	result(call(buf, 1, 0, 0x10000) == 0 && call(buf, 0, 0, 0x10000) == 0,
	       "profil: a buffer of less than a counter");
	result(refused(call(page, 4096, 0, 0x10000), EFAULT) &&
	       refused(call((void *)16, 4096, 0, 0x10000), EFAULT) &&
	       refused(call(buf, SIZE_MAX & ~1UL, 0, 0x10000), EFAULT),
	       "profil: EFAULT for what is not writable");
	errno = 77;
	call(buf, sizeof(buf), 0, 0x10000);
	call(buf, sizeof(buf), 0, 0x8000);
	call(NULL, 0, 0, 0);
	result(errno == 77, "profil: success leaves errno alone");
	result(refused(sprofil(&prof, -1, NULL, 0), EINVAL) &&
	       refused(sprofil(&prof, 1, NULL, 8), EINVAL) &&
	       refused(sprofil(&prof, 1, NULL, PROF_UINT | PROF_UINT64),
		       EINVAL), "sprofil: EINVAL for a count or flags");
	result(sprofil(&prof, 1, &tick, PROF_FAST) == 0 && tick.tv_sec == 0 &&
	       tick.tv_usec > 0 && sprofil(NULL, 0, NULL, 0) == 0,
	       "sprofil: one region, the tick, and its end");
	munmap(page, 4096);
}

int main(int argc, char **argv)
{
	if (argc == 5) {
		write_big(strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0),
			  strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
		return test_bad;
	}
	puts("KTAP version 1");
	test_threads();
	test_cut();
	test_full();
	test_outside();
	test_carry();
	test_wide();
	test_growing();
	test_kept();
	test_file();
	test_arguments();
	return finish();
}
