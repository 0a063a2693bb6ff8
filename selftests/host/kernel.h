/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types and macros that the pure headers of module/ use.
 */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <profil/ioctl.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define U16_MAX	UINT16_MAX
#define U32_MAX	UINT32_MAX
#define U64_MAX	UINT64_MAX

#define cond_resched()	do { } while (0)
#define READ_ONCE(x)	(*(const volatile typeof(x) *)&(x))
#define try_cmpxchg(p, old, new)					\
	__atomic_compare_exchange_n(p, old, new, false,			\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

static inline u64 array_index_nospec(u64 index, u64 size)
{
	return index < size ? index : 0;
}

static unsigned int points, failures;

/* One KTAP line. */
static inline void report(const char *name, bool ok)
{
	points++;
	failures += !ok;
	printf("%sok %u %s\n", ok ? "" : "not ", points, name);
}

static inline int finish(void)
{
	printf("1..%u\n", points);
	return failures ? 1 : 0;
}

/* The same numbers on every run. */
static inline u64 random64(void)
{
	static u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

#endif /* HOST_KERNEL_H */
