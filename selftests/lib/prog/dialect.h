/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A column of the table of dialects: what its calls are, in one form, and what
 * is expected of them.  A dialect more is a block more.
 */
#ifndef DIALECT_H
#define DIALECT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <profil.h>

/* Counters of 16 bits, and room for a header before them. */
#define BINS	4096

struct counted {
	char head[64];
	unsigned short bins[BINS];
};

#define SCALE_LIMIT_BSD	0x10000u
#define SCALE_LIMIT_SGI	0x20000u

/* What ends a profile, or fails and ends it, or fails and changes nothing. */
enum outcome { STARTS, ENDS, FAULTS, REFUSED };

struct column {
	const char *name;
	enum outcome null_buffer;
	enum outcome scale_1;
	bool scale_2_takes_all;		/* offset above 0 */
	bool scale_2_of_0_takes_all;	/* offset 0 */
	unsigned int scale_limit;
	enum outcome odd_size;
	bool buffer_stays;		/* the first call's, for good */
	bool several;			/* the dialect has regions */
	enum outcome ascending;
	enum outcome descending;
	enum outcome overlap;
	unsigned int regions_max;	/* 0: as many as the kernel takes */
};

/* A region of 32-bit counters, as any dialect with regions can have it. */
struct one_region {
	unsigned int *base;
	size_t size;
	uintptr_t low, high;
};

/* The compiler would believe headers that say "nonnull". */
static void *volatile buffer_is;

#define RETURNS(type, call)						\
	_Static_assert(__builtin_types_compatible_p(__typeof__(call), type), \
		       "returns " #type)

static __attribute__((unused)) int no_regions(void)
{
	errno = ENOTSUP;
	return -1;
}

#if defined(_OSF_SOURCE)
static const struct column column = {
	.name = "OSF/1",
	.null_buffer = FAULTS,
	.scale_1 = ENDS,
	.scale_2_takes_all = true,
	.scale_2_of_0_takes_all = true,
	.scale_limit = SCALE_LIMIT_BSD,
	.odd_size = STARTS,
	.several = true,
	.ascending = REFUSED,
	.descending = STARTS,
	.overlap = REFUSED,
	.regions_max = 64,
};

RETURNS(void, profil((void *)8, 0, 0, 0));

static int call(void *buffer, size_t size, uintptr_t offset,
		unsigned int scale)
{
	errno = 0;
	buffer_is = buffer;
	profil(buffer_is, size, offset, scale);
	return errno ? -1 : 0;
}

static int call_regions(const struct one_region *regions, unsigned int nr)
{
	struct profil_args args[80];
	unsigned int i;

	for (i = 0; i < nr; i++)
		args[i] = (struct profil_args){
			.buffer = regions[i].base,
			.lowpc = (void *)regions[i].low,
			.highpc = (void *)regions[i].high,
			.offset = (void *)regions[i].low,
			.scale = 0x10000,
		};
	errno = 0;
	profil(args, nr, -1, 0);
	return errno ? -1 : 0;
}
#elif defined(_NETBSD_SOURCE)
static const struct column column = {
	.name = "4.4BSD",
	.null_buffer = FAULTS,
	.scale_1 = STARTS,
	.scale_limit = SCALE_LIMIT_BSD,
	.odd_size = STARTS,
};

RETURNS(int, profil((void *)8, 0, 0, 0));

static int call(void *buffer, size_t size, uintptr_t offset,
		unsigned int scale)
{
	return profil((char *)buffer, size, offset, scale);
}

static int call_regions(const struct one_region *regions, unsigned int nr)
{
	(void)regions;
	(void)nr;
	return no_regions();
}
#elif defined(_OPENBSD_SOURCE)
static const struct column column = {
	.name = "OpenBSD",
	.null_buffer = FAULTS,
	.scale_1 = STARTS,
	.scale_limit = SCALE_LIMIT_BSD,
	.odd_size = STARTS,
	.buffer_stays = true,
};

RETURNS(int, profil((void *)8, 0, 0, 0, 0, -1));

/* The header comes before the counters. */
static int call(void *buffer, size_t size, uintptr_t offset,
		unsigned int scale)
{
	struct gmonhdr *buf = buffer;

	return profil(buf ? buf - 1 : NULL,
		      sizeof(*buf) + BINS * sizeof(unsigned short), size,
		      offset, scale, -1);
}

static int call_regions(const struct one_region *regions, unsigned int nr)
{
	(void)regions;
	(void)nr;
	return no_regions();
}
#else
#if defined(_HPUX_SOURCE)
#define pr_low	pr_offset
#define LOW(pc)	((void *)(pc))

static const struct column column = {
	.name = "HP-UX",
	.null_buffer = FAULTS,
	.scale_1 = ENDS,
	.scale_2_of_0_takes_all = true,
	.scale_limit = SCALE_LIMIT_SGI,
	.odd_size = REFUSED,
	.several = true,
	.ascending = STARTS,
	.descending = REFUSED,
	.overlap = STARTS,
};
#else
#define pr_low	pr_off
#define LOW(pc)	(pc)

static const struct column column = {
	.name = "glibc",
	.null_buffer = ENDS,
	.scale_1 = STARTS,
	.scale_limit = SCALE_LIMIT_SGI,
	.odd_size = STARTS,
	.several = true,
	.ascending = STARTS,
	.descending = STARTS,
	.overlap = STARTS,
};
#endif

RETURNS(int, profil((void *)8, 0, 0, 0));

static int call(void *buffer, size_t size, uintptr_t offset,
		unsigned int scale)
{
	buffer_is = buffer;
	return profil((unsigned short *)buffer_is, size, offset, scale);
}

static int call_regions(const struct one_region *regions, unsigned int nr)
{
	struct prof profs[80];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		profs[i].pr_base = regions[i].base;
		profs[i].pr_size = (unsigned int)regions[i].size;
		profs[i].pr_low = LOW(regions[i].low);
		profs[i].pr_scale = 0x10000;
	}
	return sprofil(profs, (int)nr, NULL, PROF_UINT);
}
#endif

#endif /* DIALECT_H */
