// SPDX-License-Identifier: MIT
/*
 * The file that gprof reads: histogram records, then the arcs.
 *
 * A record has 16 bits a counter, and gprof adds up records of equal ranges.
 * So a bigger count is spread over as many records as it needs.  The ranges
 * depend on the text alone, because gprof refuses ranges that overlap: a long
 * profile of a program adds up with a short one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"
#include "pg/calls.h"
#include "pg/place.h"

#define TAG_HIST	0
#define TAG_ARC		1
#define RECORD_MAX	65535u
#define RANGE_BINS	8192

/* Under gmon.c's lock, and not on what may be a small stack. */
static struct profil_out out;

static void put_bytes(const void *data, size_t len)
{
	profil_out_put(&out, data, len);
}

static void put_tag(unsigned char tag)
{
	put_bytes(&tag, sizeof(tag));
}

static void put_word(uintptr_t word)
{
	put_bytes(&word, sizeof(word));
}

static void put_u32(uint32_t number)
{
	put_bytes(&number, sizeof(number));
}

static uint32_t bin_count(const struct profil_gmon *gmon, size_t bin)
{
	return gmon->width == 4 ? ((const uint32_t *)gmon->hist)[bin] :
				  ((const uint16_t *)gmon->hist)[bin];
}

static uint32_t fullest_count(const struct profil_gmon *gmon, size_t first,
			      size_t end)
{
	uint32_t most = 0;

	for (; first < end; first++)
		if (bin_count(gmon, first) > most)
			most = bin_count(gmon, first);
	return most;
}

/* What is left of every count above skip. */
static void put_record(const struct profil_gmon *gmon, size_t first,
		       size_t end, uint32_t skip)
{
	uintptr_t low = gmon->low - gmon->bias;
	size_t bin;

	put_tag(TAG_HIST);
	put_word(low + first * gmon->bin_text);
	put_word(low + end * gmon->bin_text);
	put_u32((uint32_t)(end - first));
	put_u32(gmon->hz);
	put_bytes("seconds\0\0\0\0\0\0\0", 15);
	put_bytes("s", 1);
	for (bin = first; bin < end; bin++) {
		uint32_t count = bin_count(gmon, bin);
		uint16_t part = 0;

		if (count > skip)
			part = count - skip < RECORD_MAX ?
			       (uint16_t)(count - skip) : RECORD_MAX;
		put_bytes(&part, sizeof(part));
	}
}

/* The last record has a full counter only where the bin itself is full. */
static void put_range(const struct profil_gmon *gmon, size_t first, size_t end)
{
	uint32_t full = gmon->width == 4 ? UINT32_MAX : UINT16_MAX;
	uint32_t most = fullest_count(gmon, first, end);
	uint32_t skip, left;

	for (skip = 0;; skip += RECORD_MAX) {
		put_record(gmon, first, end, skip);
		left = most - skip;
		if (left < RECORD_MAX || (left == RECORD_MAX && most == full))
			return;
	}
}

static void put_hist(const struct profil_gmon *gmon)
{
	size_t bins = profil_gmon_bins(gmon);
	size_t first, end;

	for (first = 0; first < bins; first = end) {
		end = bins - first < RANGE_BINS ? bins : first + RANGE_BINS;
		put_range(gmon, first, end);
	}
}

static void put_arc(uintptr_t from, uintptr_t self, uint64_t calls)
{
	while (calls) {
		uint32_t part = calls < UINT32_MAX ? (uint32_t)calls :
						     UINT32_MAX;

		put_tag(TAG_ARC);
		put_word(from);
		put_word(self);
		put_u32(part);
		calls -= part;
	}
}

static void put_arcs(const struct profil_gmon *gmon)
{
	uintptr_t low = gmon->arcs.low - gmon->bias;
	uint32_t slot;

	for (slot = 0; gmon->arcs.slots && slot <= gmon->arcs.mask; slot++) {
		const struct profil_arc *arc = &gmon->arcs.slots[slot];

		if (arc->key)
			put_arc(low + (uintptr_t)(arc->key >> 32),
				low + (uint32_t)arc->key,
				profil_arc_calls(arc));
	}
	for (slot = 0; gmon->kept && slot <= gmon->kept->mask; slot++) {
		const struct profil_kept_call *call = &gmon->kept->slots[slot];

		put_arc(call->from, call->self, call->calls);
	}
}

bool profil_gmon_empty(const struct profil_gmon *gmon)
{
	return !(gmon->kept && *gmon->kept->used) &&
	       (!gmon->hist || !fullest_count(gmon, 0, profil_gmon_bins(gmon)));
}

/*
 * With a prefix, and in a child of fork, each process has its own file; with
 * shared objects all that it has are in its own place.
 */
static int open_out(const struct profil_gmon *gmon, char *name, size_t size)
{
	const char *prefix = secure_getenv("GMON_OUT_PREFIX");
	const char *dot = gmon->object ? "." : "";
	const char *object = gmon->object ? gmon->object : "";
	int error = ENAMETOOLONG;

	if (gmon->placed) {
		if (profil_place_name(gmon->object, name, size))
			return profil_out_open(&out, name);
		errno = ENAMETOOLONG;
		return -1;
	}
	if (prefix && *prefix) {
		if (snprintf(name, size, "%s%s%s.%ld", prefix, dot, object,
			     (long)getpid()) < (int)size) {
			if (profil_out_open(&out, name) == 0)
				return 0;
			error = errno;
		}
		profil_report_lost("%s: %s: writing gmon%s%s.out instead", name,
				   profil_out_why(name, error), dot, object);
	}
	if (gmon->arcs.wiped->original)
		snprintf(name, size, "gmon%s%s.out", dot, object);
	else
		snprintf(name, size, "gmon%s%s.out.%ld", dot, object,
			 (long)getpid());
	return profil_out_open(&out, name);
}

int profil_gmon_write(const struct profil_gmon *gmon, char *name, size_t size)
{
	static const unsigned char spare[12];

	if (open_out(gmon, name, size) != 0)
		return -1;
	put_bytes("gmon", 4);
	put_u32(1);
	put_bytes(spare, sizeof(spare));
	put_hist(gmon);
	put_arcs(gmon);
	return profil_out_close(&out);
}

/* The name is not on what may be a small stack. */
void profil_gmon_save(const struct profil_gmon *gmon)
{
	static char name[PATH_MAX];

	if (profil_gmon_write(gmon, name, sizeof(name)) != 0)
		profil_out_report(name, errno);
}
