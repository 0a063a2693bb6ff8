// SPDX-License-Identifier: MIT
/*
 * profil() in the two forms that programs written for OSF/1 and Tru64 know.
 *
 * A range has an upper end and a lower one, wherever its counters begin and
 * end.  The kernel's region has neither, so the counters that the ends of a
 * range cut through become regions of their own.
 */
#define _OSF_SOURCE
#include <errno.h>
#include <profil.h>
#include <stdlib.h>

#include "internal.h"

#define SCALE_MAX	0x10000
#define SCALE_ALL	2	/* every pc to the first counter */
#define RANGES_MAX	64
#define WIDTH		4

/* A counter's text, in bytes multiplied by the scale. */
#define COUNTER		((uint64_t)WIDTH << 16)

struct plan {
	struct profil_region *regions;
	unsigned int nr;
	unsigned int max;	/* more may be counted, but are not kept */
};

static uint64_t round_up_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* text * scale / 65536, and its fraction; scale is at most SCALE_MAX. */
static uint64_t scale_text(uint64_t text, unsigned int scale,
			   uint64_t *fraction)
{
	uint64_t low = (text & 0xffff) * scale;

	*fraction = low & 0xffff;
	return (text >> 16) * scale + (low >> 16);
}

/* The text of so many whole counters, in bytes. */
static uint64_t text_of(uint64_t counters, unsigned int scale)
{
	return counters / scale * COUNTER +
	       round_up_div(counters % scale * COUNTER, scale);
}

static void add_region(struct plan *plan, uintptr_t base, uint64_t size,
		       uint64_t offset, uint32_t scale, uint32_t width)
{
	if (plan->nr < plan->max)
		plan->regions[plan->nr] = (struct profil_region){
			.base = base,
			.size = size,
			.offset = offset,
			.scale = scale,
			.width = width,
		};
	plan->nr++;
}

/*
 * All pcs from low up to high in the counter at base.  A region of one counter
 * has a text of COUNTER / scale, rounded up: two of them, which may overlap,
 * make up any length but 1.  For that there are counters of half the width;
 * so the counter of a single byte of text stays full at 65535.
 */
static void add_counter(struct plan *plan, uintptr_t base, uint64_t low,
			uint64_t high)
{
	uint64_t first = low;
	uint64_t span;
	uint32_t scale;

	while (high - low > COUNTER && plan->nr <= plan->max) {
		add_region(plan, base, WIDTH, low, 1, WIDTH);
		low += COUNTER;
	}
	if (high - low == 1 && low == first) {
		add_region(plan, base, WIDTH / 2, low, PROFIL_SCALE_MAX,
			   WIDTH / 2);
		return;
	}
	if (high - low == 1)
		low--;
	scale = (uint32_t)round_up_div(COUNTER, high - low);
	span = round_up_div(COUNTER, scale);
	add_region(plan, base, WIDTH, low, scale, WIDTH);
	if (span < high - low)
		add_region(plan, base, WIDTH, high - span, scale, WIDTH);
}

static void add_range(struct plan *plan, const struct profil_args *args)
{
	uint64_t low = (uintptr_t)args->lowpc;
	uint64_t high = (uintptr_t)args->highpc;
	uint64_t offset = (uintptr_t)args->offset;
	uintptr_t base = (uintptr_t)args->buffer;
	unsigned int scale = args->scale;
	uint64_t byte, phase, whole, end;

	if (low < offset)
		low = offset;
	if (low >= high || scale < SCALE_ALL)
		return;
	if (scale == SCALE_ALL) {
		add_counter(plan, base, low, high);
		return;
	}
	byte = scale_text(low - offset, scale, &phase);
	phase |= byte % WIDTH << 16;
	base += (uintptr_t)(byte - byte % WIDTH);
	if (phase) {
		end = low + round_up_div(COUNTER - phase, scale);
		if (end > high)
			end = high;
		add_counter(plan, base, low, end);
		low = end;
		base += WIDTH;
	}
	whole = scale_text(high - low, scale, &phase) / WIDTH;
	if (whole)
		add_region(plan, base, whole * WIDTH, low, scale, WIDTH);
	low += text_of(whole, scale);
	base += (uintptr_t)whole * WIDTH;
	if (low < high)
		add_counter(plan, base, low, high);
}

static int check_ranges(const struct profil_args *args, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (args[i].highpc < args[i].lowpc ||
		    args[i].scale > SCALE_MAX ||
		    (args[i].scale >= SCALE_ALL &&
		     (uintptr_t)args[i].buffer % WIDTH))
			return profil_fail(EINVAL);
		if (i && (args[i].lowpc >= args[i - 1].lowpc ||
			  args[i].highpc > args[i - 1].lowpc))
			return profil_fail(EINVAL);
	}
	return 0;
}

/*
 * Only a range with a buffer that is no memory is off.  For the kernel it is an
 * error of the whole call, so each call has one range more.
 */
static int start_writable(struct plan *plan, const struct profil_args *args,
			  unsigned int nr, unsigned int flags)
{
	unsigned int good = 0;
	unsigned int i;

	for (plan->nr = 0, i = 0; i < nr; i++) {
		add_range(plan, &args[i]);
		if (plan->nr == good)
			continue;
		if (profil_dialect_set(plan->regions, plan->nr, flags) == 0)
			good = plan->nr;
		else
			plan->nr = good;
	}
	if (!good)
		profil_regions_end(flags);
	return profil_fail(EFAULT);
}

static int start_ranges(struct plan *plan, const struct profil_args *args,
			unsigned int nr, unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		add_range(plan, &args[i]);
	if (plan->nr > plan->max)
		return profil_fail(E2BIG);
	if (!plan->nr)
		return profil_regions_end(flags);
	if (profil_dialect_set(plan->regions, plan->nr, flags) == 0)
		return 0;
	return errno == EFAULT ? start_writable(plan, args, nr, flags) : -1;
}

static int set_extended(const void *from, unsigned int nr,
			unsigned long reserved, unsigned int flags)
{
	struct profil_args args[RANGES_MAX];
	struct plan plan = { .max = profil_regions_max() };
	int saved = errno;
	int ret, error;

	if (reserved || nr > RANGES_MAX)
		return profil_fail(EINVAL);
	if (!nr)
		return profil_regions_end(flags);
	if (profil_copy_in(args, from, nr * sizeof(*args)) != 0 ||
	    check_ranges(args, nr) != 0)
		return -1;
	if (profil_backend() == PROFIL_BACKEND_NONE)
		return profil_fail_unserved(ENODEV);
	if (!profil_width_known(WIDTH))
		return profil_fail_unserved(EOPNOTSUPP);
	plan.regions = calloc(plan.max, sizeof(*plan.regions));
	if (!plan.regions)
		return profil_fail(ENOMEM);
	ret = start_ranges(&plan, args, nr, flags);
	error = errno;
	free(plan.regions);
	errno = ret == 0 ? saved : error;
	return ret;
}

static int set_classic(void *buffer, unsigned int size, void *offset,
		       unsigned long scale, unsigned int flags)
{
	const struct profil_region region = {
		.base = (uintptr_t)buffer,
		.size = size,
		.offset = (uintptr_t)offset,
		.scale = (uint32_t)scale,
		.width = 2,
		.flags = scale == SCALE_ALL ? PROFIL_REGION_F_OVERFLOW : 0,
	};

	if (scale < SCALE_ALL)
		return profil_regions_end(flags);
	if (scale > SCALE_MAX)
		return profil_fail(EINVAL);
	return profil_dialect_start_one(&region, flags);
}

static int set_either(void *buffer, unsigned int size, void *offset,
		      unsigned long scale, unsigned int flags)
{
	return offset == (void *)-1 ?
	       set_extended(buffer, size, scale, flags) :
	       set_classic(buffer, size, offset, scale, flags);
}

/* In parentheses, because both are macros too. */
EXPORT void (profil_osf1)(void *buffer, unsigned int size, void *offset,
			  unsigned long scale)
{
	set_either(buffer, size, offset, scale, 0);
}

EXPORT void (profil_osf1_thread)(void *buffer, unsigned int size, void *offset,
				 unsigned long scale)
{
	set_either(buffer, size, offset, scale, PROFIL_F_THREAD);
}
