// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic from pc to bin against an oracle in 128 bits, written from
 * the sentence in semantics: byte (d * scale) / 65536, rounded down to the
 * width; hit if the whole counter lies inside the buffer.
 */
#include <pthread.h>

#include "kernel.h"
#include "region/bin.h"

#define OUTSIDE	U64_MAX

static u64 oracle(u64 pc, u64 offset, u64 size, u32 scale, u32 width)
{
	unsigned __int128 byte;

	if (pc < offset)
		return OUTSIDE;
	byte = (unsigned __int128)(pc - offset) * scale / 65536;
	byte -= byte % width;
	return byte + width <= size ? (u64)byte : OUTSIDE;
}

static u64 tested(u64 pc, u64 offset, u64 size, u32 scale, u32 width)
{
	u64 usable = profil_bin_usable(size, width);

	if (pc < offset || pc - offset >= profil_bin_span(usable, scale))
		return OUTSIDE;
	return profil_bin_index(pc - offset, scale, width);
}

static bool same(u64 pc, u64 offset, u64 size, u32 scale, u32 width)
{
	u64 is = tested(pc, offset, size, scale, width);
	u64 should = oracle(pc, offset, size, scale, width);

	if (is != should)
		printf("# pc %#llx offset %#llx size %#llx scale %#x width %u: %#llx, not %#llx\n",
		       (unsigned long long)pc, (unsigned long long)offset,
		       (unsigned long long)size, scale, width,
		       (unsigned long long)is, (unsigned long long)should);
	return is == should;
}

static const u32 widths[] = { 2, 4, 8 };

/* Scales at and beside every power of two, and some between. */
static bool small_ranges(u32 width)
{
	u32 power, scale, step;
	u64 size, pc;

	for (power = 0; power <= 17; power++) {
		for (step = 0; step < 8; step++) {
			scale = (1U << power) - 1 + step;
			if (!scale || scale > PROFIL_SCALE_MAX)
				continue;
			for (size = width; size < width + 24; size++)
				for (pc = 0; pc < 300; pc++)
					if (!same(pc, 20, size, scale, width))
						return false;
		}
	}
	return true;
}

static bool every_scale(u32 width)
{
	u32 scale;
	int i;

	for (scale = 1; scale <= PROFIL_SCALE_MAX; scale++) {
		u64 span = profil_bin_span(64, scale);

		for (i = -2; i <= 2; i++)
			if (!same(span + i, 0, 64, scale, width))
				return false;
	}
	return true;
}

static bool random_ranges(u32 width)
{
	int i;

	for (i = 0; i < 3000000; i++) {
		u64 size = random64() >> (18 + random64() % 46);
		u32 scale = 1 + random64() % PROFIL_SCALE_MAX;
		u64 offset = random64() >> random64() % 64;
		u64 d = random64() >> random64() % 64;
		u64 span;

		if (size < width || size > PROFIL_SIZE_MAX)
			continue;
		/* At random pcs, and around the end of the buffer. */
		span = profil_bin_span(profil_bin_usable(size, width), scale);
		if (!same(offset + d, offset, size, scale, width) ||
		    !same(offset + span - 1, offset, size, scale, width) ||
		    !same(offset + span, offset, size, scale, width) ||
		    !same(offset - 1, offset, size, scale, width))
			return false;
	}
	return true;
}

static bool corners(u32 width)
{
	static const u64 values[] = {
		0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffff, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffffffe, 0xffffffffffffffff,
	};
	static const u32 scales[] = {
		1, 2, 3, 0x7fff, 0x8000, 0xffff, 0x10000, 0x10001, 0x1ffff,
		0x20000,
	};
	size_t n = sizeof(values) / sizeof(*values), p, o, s;

	for (p = 0; p < n; p++)
		for (o = 0; o < n; o++)
			for (s = 0; s < sizeof(scales) / sizeof(*scales); s++)
				if (!same(values[p], values[o],
					  PROFIL_SIZE_MAX, scales[s], width) ||
				    !same(values[p], values[o], width,
					  scales[s], width))
					return false;
	return true;
}

/* Both computations of a counter must agree exactly. */
static bool masks(u32 width)
{
	int i;

	for (i = 0; i < 100000; i++) {
		u32 scale = 1 + random64() % PROFIL_SCALE_MAX;
		u64 d = random64() >> (17 + random64() % 47);

		if (((d * scale >> 16) & profil_bin_mask(width)) !=
		    profil_bin_index(d, scale, width))
			return false;
	}
	return true;
}

static bool tries(u32 width)
{
	u64 max = width == 8 ? U64_MAX : (1ULL << 8 * width) - 1;
	u64 values[] = {
		0, 0xfffe & max, 0xffff & max, 0xfffffffe & max,
		0xffffffff & max, max - 1, max,
	};
	u64 memory[3];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		u64 is = 0, value = values[i];
		bool full = value == max;
		enum profil_bin bin;

		memset(memory, 0, sizeof(memory));
		memcpy(memory + 1, &value, width);
		bin = profil_bin_inc(memory + 1, profil_bin_mask(width), 1);
		if (bin != (full ? PROFIL_BIN_FULL : PROFIL_BIN_COUNTED))
			return false;
		memcpy(&is, memory + 1, width);
		memset(memory + 1, 0, width);
		if (is != value + !full || memory[0] || memory[1] || memory[2])
			return false;
	}
	return true;
}

static enum profil_bin inc(void *p, u32 width)
{
	return profil_bin_inc(p, profil_bin_mask(width), PROFIL_BIN_TRIES);
}

static bool saturates(u32 width)
{
	u8 memory[24];
	u64 max = width == 8 ? U64_MAX : (1ULL << 8 * width) - 1;
	u64 value = max - 3, is = 0;
	int i;

	memset(memory, 0, sizeof(memory));
	memcpy(memory + 8, &value, width);
	for (i = 1; i <= 3; i++)
		if (inc(memory + 8, width) != PROFIL_BIN_COUNTED)
			return false;
	for (i = 0; i < 3; i++)
		if (inc(memory + 8, width) != PROFIL_BIN_FULL)
			return false;
	memcpy(&is, memory + 8, width);
	for (i = 0; i < 8; i++)
		if (memory[i] || memory[8 + width + i])
			return false;
	return is == max;
}

static u64 shared[4] __attribute__((aligned(64)));

static volatile int ready;

static void *increment(void *width)
{
	int i;

	/* Both at once, or the first has ended when the second begins. */
	__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
	while (ready < 2)
		;
	for (i = 0; i < 30000; i++)
		while (inc((u8 *)shared + 8, *(u32 *)width) == PROFIL_BIN_BUSY)
			;
	return NULL;
}

/* 60,000 fit in 16 bits: two threads must not lose an increment. */
static bool is_atomic(u32 width)
{
	pthread_t threads[2];
	int i, round;

	for (round = 0; round < 200; round++) {
		memset(shared, 0, sizeof(shared));
		ready = 0;
		for (i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, increment, &width);
		for (i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		if (shared[1] != 60000)
			return false;
	}
	return true;
}

static const struct {
	const char *name;
	bool (*test)(u32 width);
} tests[] = {
	{ "small_ranges_exhaustively", small_ranges },
	{ "every_scale_at_the_end_of_the_buffer", every_scale },
	{ "random_large_ranges", random_ranges },
	{ "corners_of_64_bits", corners },
	{ "the_mask_of_a_width_finds_its_counter", masks },
	{ "one_try_counts_in_all_of_the_counter", tries },
	{ "a_full_counter_stays_full_and_its_neighbours_untouched", saturates },
	{ "no_increment_is_lost_between_threads", is_atomic },
};

int main(void)
{
	char name[100];
	size_t i, w;

	printf("KTAP version 1\n");
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		for (w = 0; w < 3; w++) {
			snprintf(name, sizeof(name), "bin.bits%u.%s",
				 8 * widths[w], tests[i].name);
			report(name, tests[i].test(widths[w]));
		}
	}
	return finish();
}
