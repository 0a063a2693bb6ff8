// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of dialects, row by row, against the dialect that this is compiled
 * for.  Where the C library serves, the rows that need the kernel are left to
 * a test of what is said then.
 */
#define _GNU_SOURCE
#include "dialect.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "page.h"
#include "points.h"

static struct counted a, b;
static unsigned int wide[2][BINS];
static void *read_only;
static const struct counters of_bins = { a.bins, sizeof(a.bins), 2 };
static const struct counters of_other = { b.bins, sizeof(b.bins), 2 };
static const struct counters of_wide[2] = {
	{ wide[0], sizeof(wide[0]), 4 }, { wide[1], sizeof(wide[1]), 4 },
};

static bool kernel(void)
{
	return profil_backend() == PROFIL_BACKEND_KERNEL;
}

/* The C library's profil() is its timer. */
static bool on(void)
{
	struct profil_counts counts;
	struct itimerval timer;

	if (kernel())
		return profil_counts_get(&counts, sizeof(counts)) == 0 &&
		       counts.on;
	return getitimer(ITIMER_PROF, &timer) == 0 &&
	       (timer.it_interval.tv_usec || timer.it_interval.tv_sec);
}

static void row(bool good, const char *name, const char *what)
{
	char line[120];

	snprintf(line, sizeof(line), "%s: %s: %s", column.name, name, what);
	result(good, line);
}

static int start(void)
{
	memset(a.bins, 0, sizeof(a.bins));
	return call(a.bins, sizeof(a.bins), TEXT(first), 0x10000);
}

/* With a profile on before, which only REFUSED leaves as it was. */
static bool comes_out(enum outcome wanted, int ret, int error)
{
	static const char *const word[] = {
		"starts", "ends", "faults", "is refused"
	};
	bool good = false;

	switch (wanted) {
	case STARTS:
		good = ret == 0 && on();
		break;
	case ENDS:
		good = ret == 0 && !on();
		break;
	case FAULTS:
		good = ret == -1 && error == EFAULT && !on();
		break;
	case REFUSED:
		good = ret == -1 && error == EINVAL && grows(&of_bins, first);
		break;
	}
	if (!good)
		printf("# returned %d, errno %d, %s: not what %s\n", ret, error,
		       on() ? "on" : "off", word[wanted]);
	return good;
}

/* The first call of a process, where a later one could name no other buffer. */
static bool first_call_faults(void *buffer, size_t size, uintptr_t offset,
			      unsigned int scale)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(call(buffer, size, offset, scale) != -1 ||
		      errno != EFAULT || on());
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool outcome(enum outcome wanted, void *buffer, size_t size,
		    uintptr_t offset, unsigned int scale)
{
	int ret;

	if (wanted == FAULTS && column.buffer_stays)
		return first_call_faults(buffer, size, offset, scale);
	if (start() != 0 || !on())
		return false;
	errno = 0;
	ret = call(buffer, size, offset, scale);
	return comes_out(wanted, ret, errno);
}

static void test_off(void)
{
	row(outcome(ENDS, a.bins, sizeof(a.bins), TEXT(first), 0), "off",
	    "scale 0");
	row(outcome(ENDS, NULL, 0, 0, 0), "off", "profil(0, 0, 0, 0)");
	row(outcome(column.buffer_stays ? REFUSED : ENDS, a.bins, 0,
		    TEXT(first), 0x10000), "off", "size 0");
}

static void test_scale_1(void)
{
	row(outcome(column.scale_1, a.bins, sizeof(a.bins), TEXT(first), 1),
	    "scale 1", column.scale_1 == ENDS ? "off" : "legal");
}

/* The program's other text, below first(), may have samples as well. */
static bool counts_in(unsigned int bin, size_t size, uintptr_t offset,
		      unsigned int scale)
{
	const struct counters hit = { &a.bins[bin], 2, 2 };

	memset(a.bins, 0, sizeof(a.bins));
	return call(a.bins, size, offset, scale) == 0 && grows(&hit, first);
}

static void test_scale_2(void)
{
	/* Two counters of 65536 bytes of text below. */
	uintptr_t below = TEXT(first) - 2 * 65536;

	if (!kernel() && column.scale_2_takes_all) {
		row(call(a.bins, sizeof(a.bins), below, 2) == -1 &&
		    errno == EOPNOTSUPP, "scale 2", "EOPNOTSUPP without kernel");
		return;
	}
	row(column.scale_2_takes_all ?
	    counts_in(0, sizeof(a.bins), below, 2) && !sum(&of_bins, 1) :
	    counts_in(2, sizeof(a.bins), below, 2) && !a.bins[0], "scale 2",
	    column.scale_2_takes_all ? "every pc to the first counter" :
				       "ordinary");
	if (column.scale_2_of_0_takes_all)
		row(kernel() ? counts_in(0, sizeof(a.bins), 0, 2) :
			       call(a.bins, sizeof(a.bins), 0, 2) == -1 &&
			       errno == EOPNOTSUPP, "scale 2 of offset 0",
		    "every pc to the first counter");
	else if (sizeof(long) == 8)
		row(call(a.bins, sizeof(a.bins), 0, 2) == 0 &&
		    still(&of_bins, first), "scale 2 of offset 0", "ordinary");
}

static void test_scale_limit(void)
{
	static const unsigned int scales[] = {
		0xffff, 0x10000, 0x10001, 0x1ffff, 0x20000, 0x20001,
		0x80000000, 0xffffffff,
	};
	char name[40];
	size_t i;

	for (i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		snprintf(name, sizeof(name), "%#x", scales[i]);
		row(outcome(scales[i] > column.scale_limit ? REFUSED : STARTS,
			    a.bins, sizeof(a.bins), TEXT(first), scales[i]),
		    "scale limit", name);
	}
}

/* First of all, while no call was made. */
static void test_bad_buffer(void)
{
	row(outcome(column.null_buffer, NULL, sizeof(a.bins), TEXT(first),
		    0x10000), "off", "a null buffer");
	row(outcome(FAULTS, read_only, 4096, TEXT(first), 0x10000),
	    "bad buffer", "read-only");
	row(outcome(FAULTS, (void *)16, 4096, TEXT(first), 0x10000),
	    "bad buffer", "no memory");
	row(outcome(FAULTS, (char *)read_only - 4096, 8192, TEXT(first),
		    0x10000), "bad buffer", "its second page is read-only");
	row(outcome(REFUSED, (char *)a.bins + 1, 64, TEXT(first), 0x10000),
	    "bad buffer", "not aligned");
}

static void test_odd_size(void)
{
	/* So that the second counter is the one that is hit. */
	uintptr_t offset = TEXT(first) - 2048;

	row(outcome(column.odd_size, a.bins, 5, TEXT(first), 0x10000),
	    "odd size", column.odd_size == STARTS ? "taken" : "EINVAL");
	if (column.odd_size != STARTS)
		return;
	memset(a.bins, 0, sizeof(a.bins));
	call(a.bins, 3, offset, 64);
	burn(first);
	row(!a.bins[1], "odd size", "the tail has no counter");
	row(counts_in(1, 4, offset, 64), "odd size", "one byte more has one");
}

static void test_second_call(void)
{
	start();
	grows(&of_bins, first);
	if (column.buffer_stays) {
		row(call(b.bins, sizeof(b.bins), TEXT(first), 0x10000) == -1 &&
		    errno == EALREADY && grows(&of_bins, first),
		    "second call", "EALREADY for another buffer");
		row(call(a.bins, sizeof(a.bins), TEXT(after) + 64, 0x10000) == 0 &&
		    on() && still(&of_bins, first), "second call", "replaces");
		return;
	}
	row(call(b.bins, sizeof(b.bins), TEXT(first), 0x10000) == 0 &&
	    still(&of_bins, first) && sum(&of_other, 0) > 0,
	    "second call", "replaces");
}

static void region(struct one_region *r, unsigned int i, uintptr_t low,
		   uintptr_t high)
{
	r->base = wide[i];
	r->size = (high - low) & -4ul;
	r->low = low;
	r->high = high;
}

static bool regions_outcome(enum outcome wanted, const struct one_region *r,
			    unsigned int nr)
{
	int ret;

	start();
	memset(wide, 0, sizeof(wide));
	errno = 0;
	ret = call_regions(r, nr);
	return comes_out(wanted, ret, errno);
}

static void test_regions(void)
{
	struct one_region r[80];
	unsigned int i;
	bool taken;

	region(&r[0], 0, TEXT(first), TEXT(second));
	region(&r[1], 1, TEXT(second), TEXT(after));
	if (!kernel()) {
		row(call_regions(r, 1) == -1 && errno == EOPNOTSUPP,
		    "regions", "EOPNOTSUPP without kernel");
		return;
	}
	taken = regions_outcome(column.ascending, r, 2);
	if (taken && column.ascending == STARTS)
		taken = grows(&of_wide[0], first) && grows(&of_wide[1], second);
	row(taken, "region order", "ascending");
	region(&r[0], 0, TEXT(second), TEXT(after));
	region(&r[1], 1, TEXT(first), TEXT(second));
	taken = regions_outcome(column.descending, r, 2);
	if (taken && column.descending == STARTS)
		taken = grows(&of_wide[0], second) && grows(&of_wide[1], first);
	row(taken, "region order", "descending");

	/* Ordered as each dialect likes it, so that only overlap is left. */
	i = column.descending == REFUSED;
	region(&r[!i], 0, TEXT(first) - 64, TEXT(second));
	region(&r[i], 1, TEXT(first), TEXT(second));
	taken = regions_outcome(column.overlap, r, 2);
	if (taken && column.overlap == STARTS)
		taken = grows(&of_wide[1], first) && !sum(&of_wide[0], 0);
	row(taken, "overlap", column.overlap == REFUSED ? "EINVAL" :
	    "the largest offset");
	region(&r[0], 0, TEXT(first), TEXT(second));
	region(&r[1], 1, TEXT(first), TEXT(second));
	taken = regions_outcome(column.overlap, r, 2);
	if (taken && column.overlap == STARTS)
		taken = grows(&of_wide[0], first) && !sum(&of_wide[1], 0);
	row(taken, "overlap", column.overlap == REFUSED ? "EINVAL for a tie" :
	    "on a tie the first");

	if (column.regions_max) {
		for (i = 0; i < 65; i++)
			region(&r[i], 0, TEXT(first) + 4 * (64 - i),
			       TEXT(first) + 4 * (65 - i));
		row(regions_outcome(REFUSED, r, 65) &&
		    regions_outcome(STARTS, r, 64), "regions",
		    "64, and not one more");
	}
	row(regions_outcome(ENDS, r, 0), "off", "no regions");
	region(&r[0], 0, TEXT(first), TEXT(second));
	call_regions(r, 1);
	row(start() == 0 && still(&of_wide[0], first) && sum(&of_bins, 0) > 0,
	    "second call", "the classic replaces the regions");
	call_regions(r, 1);
	row(still(&of_bins, first) && sum(&of_wide[0], 0) > 0, "second call",
	    "the regions replace the classic");
	row(call_regions(r, 1) == 0 && call(NULL, 0, 0, 0) == 0 && !on(),
	    "off", "the classic ends the regions");
}

int main(void)
{
	/* What a dialect adds before and behind is private memory as well. */
	size_t beside = sizeof(a.bins) + 8192;
	char *pages = mmap(NULL, 2 * beside, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		abort();
	pages += beside & -4096UL;
	if (mprotect(pages, 4096, PROT_READ | PROT_WRITE) ||
	    mprotect(pages + 4096, 4096, PROT_READ))
		abort();
	read_only = pages + 4096;
	printf("# served by: %s\n", profil_backend_name());
	test_bad_buffer();
	test_off();
	test_scale_1();
	test_scale_2();
	test_scale_limit();
	test_odd_size();
	test_second_call();
	if (column.several)
		test_regions();
	else
		row(call_regions(NULL, 0) == -1, "regions", "none");
	call(NULL, 0, 0, 0);
	return finish();
}
