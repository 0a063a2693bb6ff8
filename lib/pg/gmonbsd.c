// SPDX-License-Identifier: MIT
/*
 * The -pg run-time with PROFDIR: the profile is laid out in memory in the
 * format of 4.4BSD, and the kernel writes it when the process ends.
 *
 * So it works where a program can't write files any more.  What is done at
 * the end makes no system call: under seccomp that could be its last one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define _OPENBSD_SOURCE
#define PROFIL_NO_NOTE
#include <profil.h>

#include "block.h"
#include "internal.h"

struct bsd_arc {
	unsigned long from;
	unsigned long self;
	long count;
};

/* In a forked child zeroes: what it has not completed is not written. */
static struct {
	char *map;
	size_t size;
	const struct profil_gmon *gmon;	/* the profile that goes there */
} out;

static bool noted;		/* the program carries the profiling note */

static size_t head_size(const struct profil_gmon *gmon)
{
	size_t hist = profil_gmon_bins(gmon) * sizeof(uint16_t);

	/* gprof reads the arcs right behind; they need not be aligned. */
	return sizeof(struct gmonhdr) + hist;
}

static bool area_alloc(const struct profil_gmon *gmon)
{
	uint64_t arcs = ((uint64_t)gmon->arcs.mask + 1) * sizeof(struct bsd_arc);
	uint64_t size = head_size(gmon) + arcs;

	/* The kernel knows the first one, and takes no other. */
	if (out.map) {
		errno = EALREADY;
		return size <= out.size;
	}
	if (size > PROFIL_DUMP_SIZE_MAX) {
		errno = EFBIG;
		return false;
	}
	out.map = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (out.map == MAP_FAILED) {
		out.map = NULL;
		return false;
	}
	profil_map_small(out.map, (size_t)size);
	madvise(out.map, (size_t)size, MADV_WIPEONFORK);
	out.size = (size_t)size;
	return true;
}

static bool set_dump(const struct profil_gmon *gmon,
		     const struct profil_region *region, const char *dir)
{
	struct profil_dump dump = {
		.self_size = sizeof(dump),
		.addr = (uintptr_t)out.map,
		.size = out.size,
		.len = (uintptr_t)out.map + offsetof(struct gmonhdr, totarc),
		.head = head_size(gmon),
	};
	int ret, error;

	dump.dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dump.dirfd < 0)
		return false;
	ret = profil_device_set_dump(region, 1, &dump);
	error = errno;
	close(dump.dirfd);
	errno = error;
	return ret == 0;
}

static bool ask_kernel(const struct profil_gmon *gmon,
		       const struct profil_region *region, const char *dir)
{
	int cancel = profil_cancel_disable();
	bool ret = set_dump(gmon, region, dir);

	profil_cancel_restore(cancel);
	return ret;
}

static const char *why_not_kernel(int error)
{
	switch (error) {
	case EPERM:
		return "no profiling note (compile with -D_OPENBSD_SOURCE -include profil.h)";
	case EOPNOTSUPP:
		return profil_backend() == PROFIL_BACKEND_KERNEL ?
		       "the module was loaded with dump=0, or is too old for that" :
		       "only /dev/profil does that";
	default:
		return profil_error(error);
	}
}

static const char *profile_directory(void)
{
	const char *dir = secure_getenv("PROFDIR");

	return dir && *dir ? dir : NULL;
}

void profil_gmonbsd_find_note(void)
{
	if (profile_directory())
		noted = profil_note_check() == 0;
}

void profil_gmonbsd_start(const struct profil_gmon *gmon,
			  const struct profil_region *region)
{
	const char *dir = profile_directory();

	out.gmon = NULL;
	if (!dir)
		return;
	/* The format has room for one object. */
	if (gmon->arcs.wide) {
		profil_report("PROFDIR=%s: not with shared objects: ignored",
			      dir);
		return;
	}
	if (profil_backend() != PROFIL_BACKEND_KERNEL)
		errno = EOPNOTSUPP;
	else if (!noted)
		errno = EPERM;
	else if (area_alloc(gmon) && ask_kernel(gmon, region, dir))
		out.gmon = gmon;
	if (!out.gmon)
		profil_report("PROFDIR=%s: %s: writing gmon.out instead", dir,
			      why_not_kernel(errno));
}

/* A counter of the file has 16 bits; returns how many are full. */
static uint32_t bsd_put_hist(const struct profil_gmon *gmon)
{
	uint16_t *bins = (uint16_t *)(out.map + sizeof(struct gmonhdr));
	size_t nr = profil_gmon_bins(gmon), i;
	uint32_t full = 0;

	for (i = 0; i < nr; i++) {
		uint32_t count = gmon->width == 4 ?
				 ((const uint32_t *)gmon->hist)[i] :
				 ((const uint16_t *)gmon->hist)[i];

		if (count >= UINT16_MAX) {
			full++;
			count = UINT16_MAX;
		}
		bins[i] = (uint16_t)count;
	}
	return full;
}

static size_t bsd_put_arc(size_t pos, struct bsd_arc arc)
{
	if (out.size - pos < sizeof(arc))
		return pos;
	memcpy(out.map + pos, &arc, sizeof(arc));
	return pos + sizeof(arc);
}

/* Returns their bytes: not 0, which would be for a profile not complete. */
static size_t bsd_put_arcs(const struct profil_gmon *gmon)
{
	uintptr_t low = gmon->arcs.low - gmon->bias;
	size_t pos = head_size(gmon);
	uint32_t slot;

	for (slot = 0; slot <= gmon->arcs.mask; slot++) {
		const struct profil_arc *arc = &gmon->arcs.slots[slot];
		uint64_t calls = profil_arc_calls(arc);

		if (!arc->key || !calls)
			continue;
		pos = bsd_put_arc(pos, (struct bsd_arc){
			.from = low + (uintptr_t)(arc->key >> 32),
			.self = low + (uint32_t)arc->key,
			.count = calls < LONG_MAX ? (long)calls : LONG_MAX,
		});
	}
	/* Of no function: gprof leaves it out. */
	if (pos == head_size(gmon))
		pos = bsd_put_arc(pos, (struct bsd_arc){ .from = 0 });
	return pos - head_size(gmon);
}

bool profil_gmonbsd_finish(const struct profil_gmon *gmon)
{
	struct gmonhdr *header = (struct gmonhdr *)out.map;
	uint32_t full;
	size_t arcs;

	if (!gmon || out.gmon != gmon || gmon->arcs.wide)
		return false;
	/* Until all is there, a kill has no file. */
	__atomic_store_n(&header->totarc, 0, __ATOMIC_SEQ_CST);
	header->lpc = gmon->low - gmon->bias;
	header->hpc = gmon->high - gmon->bias;
	header->ncnt = (int)head_size(gmon);
	header->version = GMONVERSION;
	header->profrate = (int)gmon->hz;
	full = bsd_put_hist(gmon);
	arcs = bsd_put_arcs(gmon);
	__atomic_store_n(&header->totarc, (int)arcs, __ATOMIC_SEQ_CST);
	if (full)
		profil_report("%u counters are full at 65535: without PROFDIR they have 32 bits",
			      full);
	if (gmon->arcs.wiped->calls_lost)
		profil_report("%u calls not counted: more than %u different ones",
			      gmon->arcs.wiped->calls_lost,
			      gmon->arcs.mask + 1);
	return true;
}
