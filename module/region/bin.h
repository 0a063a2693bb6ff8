/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic from a pc to a bin, and the saturating increment: pure, and
 * also compiled into the tests on the host.
 */
#ifndef _PROFIL_BIN_H
#define _PROFIL_BIN_H

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/limits.h>
#include <linux/types.h>
#endif

/* Keeps size << 16 below 2^63; no address space has a larger buffer. */
#define PROFIL_SIZE_MAX	0x400000000000ULL

/* The bytes of a buffer that are whole counters. */
static inline u64 profil_bin_usable(u64 size, u32 width)
{
	return size & ~(u64)(width - 1);
}

/*
 * How many bytes of text, from the offset on, have a counter.  usable is at
 * most PROFIL_SIZE_MAX, so neither this nor a product below it overflows.
 */
static inline u64 profil_bin_span(u64 usable, u32 scale)
{
	return ((usable << 16) + scale - 1) / scale;
}

/* The mask that rounds the place of a byte down to that of its counter. */
static inline s64 profil_bin_mask(u32 width)
{
	return -(s64)width;
}

/* The byte offset of the counter of pc offset + d, for d inside the span. */
static inline u64 profil_bin_index(u64 d, u32 scale, u32 width)
{
	return ((d * scale) >> 16) & ~(u64)(width - 1);
}

enum profil_bin {
	PROFIL_BIN_COUNTED,
	PROFIL_BIN_FULL,
	PROFIL_BIN_BUSY,
};

/* A try fails if another CPU stored in between; an interrupt has to end. */
#define PROFIL_BIN_TRIES	256

#define PROFIL_BIN_INC(p, max, tries) ({				\
	typeof(p) __p = (p);						\
	typeof(*__p) __old = READ_ONCE(*__p);				\
	enum profil_bin __ret = PROFIL_BIN_BUSY;			\
	int __tries = (tries);						\
									\
	do {								\
		if (__old == (max))					\
			__ret = PROFIL_BIN_FULL;			\
		else if (try_cmpxchg(__p, &__old, __old + 1))		\
			__ret = PROFIL_BIN_COUNTED;			\
	} while (__ret == PROFIL_BIN_BUSY && --__tries);		\
	__ret;								\
})

/*
 * Adds one to the counter at p, which is aligned to its width, unless it is
 * full.  The width is that of a profil_bin_mask().  The program may store to the
 * counter at the same time.
 */
static __always_inline enum profil_bin profil_bin_inc(void *p, s64 mask,
						      int tries)
{
	if (mask == profil_bin_mask(sizeof(u32)))
		return PROFIL_BIN_INC((u32 *)p, U32_MAX, tries);
	if (mask > profil_bin_mask(sizeof(u32)))
		return PROFIL_BIN_INC((u16 *)p, U16_MAX, tries);
	return PROFIL_BIN_INC((u64 *)p, U64_MAX, tries);
}

#endif /* _PROFIL_BIN_H */
