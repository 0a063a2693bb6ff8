// SPDX-License-Identifier: GPL-2.0-only
/*
 * The regions that OSF/1's ranges become, against the page's own words: every
 * pc from lowpc up to highpc counts at (pc - offset) * scale, and no other.
 */
#define _OSF_SOURCE
#include <errno.h>
#include <profil.h>

#include "../../host/kernel.h"
#include "regions.h"

#define TEXT	0x400000UL
#define BUFFER	0x10000000UL
#define RANGES	64

static struct profil_args args[RANGES];
static unsigned int nr;

static u64 number(void *pointer)
{
	return (uintptr_t)pointer;
}

static void *pointer(u64 address)
{
	return (void *)(uintptr_t)address;
}

static u64 pick(u64 below)
{
	return random64() % below;
}

static bool set(void)
{
	errno = 0;
	profil(args, (int)nr, -1, 0);
	return !errno;
}

/* The counter's number, by the page. */
static u64 page_bin(const struct profil_args *a, u64 pc)
{
	if (a->scale == 2)
		return 0;
	return (pc - number(a->offset)) * a->scale / 65536 / 4;
}

static const struct profil_args *page_range(u64 pc)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (pc >= number(args[i].lowpc) &&
		    pc < number(args[i].highpc) &&
		    pc >= number(args[i].offset) && args[i].scale > 1)
			return &args[i];
	return NULL;
}

static u64 page_counter(u64 pc)
{
	const struct profil_args *a = page_range(pc);

	return a ? (uintptr_t)a->buffer + 4 * page_bin(a, pc) : 0;
}

static bool same(u64 pc, bool byte_late)
{
	u64 is = set_counter(pc);
	u64 should = page_counter(pc);
	const struct profil_args *a = page_range(pc);

	if (is == should)
		return true;
	if (byte_late && is && page_counter(pc - 1) == is)
		return true;
	printf("# pc %#llx: %#llx, not %#llx", (unsigned long long)pc,
	       (unsigned long long)is, (unsigned long long)should);
	if (a)
		printf(" in [%p, %p) offset %p scale %u", a->lowpc, a->highpc,
		       a->offset, a->scale);
	putchar('\n');
	return false;
}

/* What the kernel may store to: only what the counters of the ranges are. */
static bool inside_buffers(void)
{
	unsigned int i, j;

	for (i = 0; i < set_nr; i++) {
		const struct profil_region *r = &set_regions[i];
		u64 end = r->base + r->size;

		for (j = 0; j < nr; j++) {
			const struct profil_args *a = &args[j];
			u64 base = number(a->buffer);
			u64 low = number(a->lowpc);

			if (low < number(a->offset))
				low = number(a->offset);
			if (r->base >= base + 4 * page_bin(a, low) &&
			    end <= base + 4 * page_bin(a, number(a->highpc) - 1)
				   + 4)
				break;
		}
		if (j == nr)
			return false;
	}
	return true;
}

/* Every pc from a counter below the lowest range to two above the highest. */
static bool check_all(bool byte_late)
{
	u64 pc = number(args[nr - 1].lowpc) - 64;
	u64 end = number(args[0].highpc) + 300000;

	if (!set())
		return false;
	for (; pc < end; pc++) {
		if (!same(pc, byte_late))
			return false;
		/* Where nothing begins or ends, not every byte. */
		if (pc > number(args[0].highpc) + 2000)
			pc += 1999;
	}
	return inside_buffers();
}

static void range(unsigned int i, u64 low, u64 length, u64 offset,
		  unsigned int scale)
{
	args[i].buffer = pointer(BUFFER + i * 0x1000000);
	args[i].lowpc = pointer(low);
	args[i].highpc = pointer(low + length);
	args[i].offset = pointer(offset);
	args[i].scale = scale;
}

static void test_every_end(void)
{
	unsigned int scale;
	bool good = true;
	u64 length;

	nr = 1;
	for (scale = 0x800; scale <= 0x10000; scale *= 2)
		for (length = 1; length <= 300; length++) {
			range(0, TEXT, length, TEXT, scale);
			good = good && check_all(false);
		}
	report("highpc cuts through a counter at every byte", good);
}

static void test_every_start(void)
{
	unsigned int scale;
	bool good = true;
	u64 lead;

	nr = 1;
	for (scale = 0x800; scale <= 0x10000; scale *= 2)
		for (lead = 0; lead <= 300; lead++) {
			range(0, TEXT, 1 + pick(300), TEXT - lead, scale);
			good = good && check_all(false);
		}
	report("lowpc cuts through a counter at every byte", good);
}

static void test_offset_far_below(void)
{
	bool good = true;
	int i;

	nr = 1;
	for (i = 0; i < 200; i++) {
		/* The buffer's address is that of pc 0's counter: no memory. */
		range(0, TEXT + pick(5000), 1 + pick(5000), 0,
		      4u << pick(15));
		args[0].buffer = pointer(0xc0000000UL - 4 * pick(1000));
		good = good && check_all(false);
	}
	report("offset 0: the counters far from the buffer's start", good);
}

static void test_offset_above(void)
{
	bool good = true;
	int i;

	nr = 1;
	for (i = 0; i < 200; i++) {
		range(0, TEXT, 1 + pick(600), TEXT + pick(700),
		      4u << pick(15));
		good = good && check_all(false);
	}
	report("offset above lowpc: what is below it does not count", good);
}

static void test_any_scale(void)
{
	bool good = true;
	int i;

	nr = 1;
	for (i = 0; i < 300; i++) {
		range(0, TEXT, 1 + pick(3000), TEXT, 3 + (u32)pick(0xfffe));
		good = good && check_all(false);
	}
	report("any scale, offset at lowpc", good);
	for (good = true, i = 0; i < 300; i++) {
		range(0, TEXT, 1 + pick(3000), TEXT - pick(9000),
		      3 + (u32)pick(0xfffe));
		good = good && check_all(true);
	}
	report("any scale, offset below lowpc: not a byte more off", good);
}

static void test_scale_two(void)
{
	bool good = true;
	u64 length;

	nr = 1;
	for (length = 1; length < 1200000; length += 1 + pick(150000)) {
		range(0, TEXT, length, TEXT - pick(2) * pick(100000), 2);
		good = good && check_all(false);
	}
	range(0, TEXT, 2 * 262144 + 1, TEXT, 2);
	good = good && check_all(false);
	report("scale 2: the whole range in the first counter", good);
	range(0, TEXT, 1 << 30, TEXT, 2);
	set_nr = 0;
	report("scale 2: E2BIG for more text than there are regions for",
	       !set() && errno == E2BIG && !set_nr);
}

static void test_many(void)
{
	bool good = true;
	int turn;

	for (turn = 0; turn < 40; turn++) {
		unsigned int i;
		u64 low = TEXT;

		nr = 2 + (unsigned int)pick(RANGES - 1);
		for (i = nr; i--;) {
			u64 length = 1 + pick(700);
			unsigned int scale = 4u << pick(15);

			if (pick(8) == 0)
				scale = (unsigned int)pick(3);
			range(i, low, length, low - pick(2) * pick(3000),
			      scale);
			/* Every other one begins where this one ends. */
			low += length + pick(2) * pick(3000);
		}
		good = good && check_all(false);
	}
	report("up to 64 ranges, side by side and apart", good);
}

static bool refused(int error)
{
	set_nr = 77;
	return !set() && errno == error && set_nr == 77;
}

static void two(u64 first, u64 second)
{
	nr = 2;
	range(0, first, 0x100, first, 0x10000);
	range(1, second, 0x100, second, 0x10000);
}

static void test_refused(void)
{
	unsigned int i;

	two(TEXT, TEXT + 0x1000);
	report("EINVAL: increasing lowpc", refused(EINVAL));
	two(TEXT, TEXT);
	report("EINVAL: the same lowpc twice", refused(EINVAL));
	args[1].highpc = args[1].lowpc;
	report("EINVAL: the same lowpc, and an empty range", refused(EINVAL));
	two(TEXT + 0xff, TEXT);
	report("EINVAL: a range reaches into the next", refused(EINVAL));
	two(TEXT + 0x100, TEXT);
	report("a range ends where the next begins", set());
	args[1].highpc = pointer(TEXT - 1);
	report("EINVAL: highpc below lowpc", refused(EINVAL));
	two(TEXT + 0x100, TEXT);
	args[1].scale = 0x10001;
	report("EINVAL: scale above 0x10000", refused(EINVAL));
	two(TEXT + 0x100, TEXT);
	args[1].buffer = pointer(BUFFER + 2);
	report("EINVAL: a buffer not aligned to 4", refused(EINVAL));
	two(TEXT + 0x100, TEXT);
	set_nr = 77;
	errno = 0;
	profil(args, 2, -1, 1);
	report("EINVAL: flags", errno == EINVAL && set_nr == 77);
	nr = 65;
	report("EINVAL: 65 ranges", refused(EINVAL));
	errno = 0;
	profil(16, 2, -1, 0);
	report("EFAULT: args is no memory", errno == EFAULT && set_nr == 77);
	nr = 2;
	for (i = 0; i < 2; i++) {
		two(TEXT + 0x100, TEXT);
		args[0].scale = i;
		args[1].scale = 1 - i;
		set_nr = 77;
		report(i ? "ranges of scale 1 and 0: off" :
			   "ranges of scale 0 and 1: off", set() && !set_nr);
	}
}

int main(void)
{
	test_every_end();
	test_every_start();
	test_offset_far_below();
	test_offset_above();
	test_any_scale();
	test_scale_two();
	test_many();
	test_refused();
	return finish();
}
