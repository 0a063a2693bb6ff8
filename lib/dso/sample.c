// SPDX-License-Identifier: MIT
/*
 * The one profile that a process can have, of the regions that the program set
 * itself, and of the text of profiled shared objects.
 *
 * The program's own come first, and count what they would count alone.  The
 * kernel gives a pc to the region with the largest offset.  So the others begin
 * behind those of the program's that began before them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <stdio.h>
#include <string.h>

#include "dso/dso.h"

#define REGIONS_MAX	1024u

/* Under gmon.c's lock, where shared objects are profiled. */
static struct profil_region own[REGIONS_MAX];
static uint32_t nr_own;

static struct profil_region regions[REGIONS_MAX];
static struct profil_object *owner[REGIONS_MAX];	/* NULL: the program */
static uint32_t nr_regions;	/* that were set */

static bool not_told(bool *told)
{
	return !__atomic_exchange_n(told, true, __ATOMIC_RELAXED);
}

static void tell_regions(uint32_t max)
{
	static bool told;

	if (profil_backend() == PROFIL_BACKEND_LIBC && not_told(&told))
		profil_report("shared objects: calls, but no samples: only the kernel's tick takes these");
	else if (profil_backend() == PROFIL_BACKEND_KERNEL && not_told(&told))
		profil_report("shared objects past %u: calls, but no samples",
			      max - 1);
}

/* What is to be pinned is too much, or a limit that stands in the way. */
static void tell_memory(bool pins, const char *limit)
{
	static bool told;
	char why[512];

	if (!(pins || limit) || !not_told(&told))
		return;
	if (pins)
		profil_why_memlock(why, sizeof(why), profil_device_wanted());
	else
		snprintf(why, sizeof(why), "%s is too small", limit);
	profil_report("shared objects have coarse bins, or none: %s", why);
}

static void tell_overlap(const struct profil_object *object)
{
	static bool told;

	if (not_told(&told))
		profil_report("samples in the text of the program's own profile are in that alone, not in the file of %s",
			      object ? object->label : "the program");
}

static void tell_one_region(void)
{
	static bool told;

	if (not_told(&told))
		profil_report("the C library has one profile, and the program's own is on: no samples in the library's files: only the kernel's tick takes both");
}

static void tell_thread(void)
{
	static bool told;

	if (not_told(&told))
		profil_report("a thread has a profile of its own: no samples of it in those of shared objects");
}

static uint32_t add_to_profile(uint32_t nr, struct profil_region region,
			       struct profil_object *object)
{
	bool overlap = false;
	bool left = profil_region_cut(&region, own, nr_own, &overlap);

	if (overlap)
		tell_overlap(object);
	if (!left)
		return nr;
	owner[nr] = object;
	regions[nr] = region;
	return nr + 1;
}

static bool wants_region(const struct profil_object *object)
{
	return object->loaded && *object->path && !object->left_out;
}

static uint32_t fill_profile(const struct profil_region *program, uint32_t max)
{
	struct profil_object *object;
	struct profil_region region;
	uint32_t nr = nr_own;

	memcpy(regions, own, nr_own * sizeof(*own));
	if (!program)
		return nr;
	if (nr < max)
		nr = add_to_profile(nr, *program, NULL);
	for (object = profil_objects; object; object = object->next) {
		if (!wants_region(object))
			continue;
		if (nr == max) {
			tell_regions(max);
			break;
		}
		region = profil_gmon_region(&object->gmon);
		region.offset += object->bias;
		nr = add_to_profile(nr, region, object);
	}
	return nr;
}

/* Makes those coarser, or else leaves them out, that were never sampled. */
static bool make_coarser(uint32_t nr)
{
	bool room = false;
	uint32_t i;

	for (i = nr_own; i < nr; i++) {
		struct profil_gmon *gmon = owner[i] ? &owner[i]->gmon : NULL;

		if (!gmon || owner[i]->sampled ||
		    gmon->bin_text >= PROFIL_BIN_TEXT_MAX ||
		    regions[i].size <= profil_page_size())
			continue;
		profil_gmon_bins_set(gmon, gmon->bin_text * 2, gmon->width);
		room = true;
	}
	for (i = nr_own; !room && i < nr; i++) {
		if (!owner[i] || owner[i]->sampled)
			continue;
		owner[i]->left_out = true;
		return true;
	}
	return room;
}

/* Returns 0, or -1 and errno, and then what was on still is. */
static int set_all(const struct profil_region *program,
		   const struct profil_dump *dump)
{
	uint32_t max = profil_regions_max();
	const char *scarce = NULL;
	bool pins = false;
	uint32_t nr, i;

	if (max > REGIONS_MAX)
		max = REGIONS_MAX;
	/* Or else there is no region for them. */
	if (program && max > 1)
		scarce = profil_hists_map(wants_region, false);
	nr = fill_profile(program, max);
	while (nr && profil_device_set_dump(regions, nr, dump) != 0) {
		if (errno != ENOMEM)
			return -1;
		pins = true;
		if (make_coarser(nr))
			nr = fill_profile(program, max);
		else if (nr > nr_own + !nr_own)
			nr = nr_own ? nr_own + (nr - nr_own) / 2 : 1;
		else
			return -1;
	}
	if (!nr)
		profil_backend_end(0);
	for (i = nr_own; i < nr; i++)
		if (owner[i])
			owner[i]->sampled = true;
	nr_regions = nr;
	tell_memory(pins, scarce);
	return 0;
}

/* What the kernel has switched off, as its buffer has gone, stays so. */
static void forget_off(void)
{
	static struct profil_region_status states[REGIONS_MAX];
	struct profil_status status;
	uint32_t i, on = 0;

	if (!nr_own ||
	    profil_device_query_regions(&status, states, nr_own) != 0 ||
	    status.nr_regions != nr_regions)
		return;
	for (i = 0; i < nr_own; i++)
		if (states[i].state == PROFIL_STATE_ON)
			own[on++] = own[i];
	nr_own = on;
}

int profil_dso_sample(const struct profil_region *program)
{
	if (!profil_dso_on()) {
		nr_own = 0;
		return profil_backend_set(program, 1, 0);
	}
	if (profil_backend() != PROFIL_BACKEND_KERNEL) {
		if (nr_own) {
			tell_one_region();
			return 0;
		}
		tell_regions(1);
		return profil_backend_set(program, 1, 0);
	}
	forget_off();
	if (set_all(program, NULL) == 0)
		return 0;
	return nr_own ? profil_backend_set(own, nr_own, 0) :
			profil_backend_set(program, 1, 0);
}

void profil_dso_sample_gmon(const struct profil_gmon *gmon)
{
	struct profil_region region = profil_gmon_region(gmon);

	profil_backend_tell(profil_dso_sample(&region),
			    "no samples, only calls");
	if (!profil_hz_is_still(gmon->hz))
		profil_dso_pause(false);
}

int profil_dso_pause(bool all)
{
	if (all || !profil_dso_on())
		nr_own = 0;
	if (!nr_own)
		return profil_backend_end(0);
	if (profil_backend() != PROFIL_BACKEND_KERNEL)
		return 0;
	forget_off();
	return set_all(NULL, NULL);
}

/* What the program sets, or ends with no regions. */
struct wish {
	const struct profil_region *regions;
	unsigned int nr;
	const struct profil_dump *dump;
	int ret, error;
};

static int set_alone(const struct wish *wish)
{
	nr_regions = wish->nr;
	if (!wish->nr)
		return profil_backend_end(0);
	if (wish->dump)
		return profil_device_set_dump(wish->regions, wish->nr,
					      wish->dump);
	return profil_backend_set(wish->regions, wish->nr, 0);
}

static void take_own(const struct wish *wish)
{
	nr_own = wish->nr <= REGIONS_MAX ? wish->nr : 0;
	if (nr_own)
		memcpy(own, wish->regions, nr_own * sizeof(*own));
}

static int take_libc(const struct wish *wish,
		     const struct profil_region *program)
{
	int ret = set_alone(wish);

	if (ret != 0)
		return ret;
	take_own(wish);
	if (program && nr_own)
		tell_one_region();
	else if (program)
		ret = profil_backend_set(program, 1, 0);
	return ret;
}

static int take_kernel(const struct wish *wish,
		       const struct profil_region *program)
{
	static struct profil_region before[REGIONS_MAX];
	uint32_t nr_before = nr_own;
	int ret, error;

	if (wish->nr > REGIONS_MAX || wish->nr > profil_regions_max())
		return set_alone(wish);
	memcpy(before, own, nr_own * sizeof(*own));
	take_own(wish);
	ret = set_all(program, wish->dump);
	if (ret == 0)
		return 0;
	/* Where it fails with the others it may not without, or not so. */
	ret = set_alone(wish);
	if (ret == 0)
		return 0;
	error = errno;
	nr_own = nr_before;
	memcpy(own, before, nr_own * sizeof(*own));
	errno = error;
	return ret;
}

static void do_wish(const struct profil_gmon *on, struct wish *wish)
{
	struct profil_region program;

	if (on)
		program = profil_gmon_region(on);
	if (profil_backend() == PROFIL_BACKEND_KERNEL)
		wish->ret = take_kernel(wish, on ? &program : NULL);
	else
		wish->ret = take_libc(wish, on ? &program : NULL);
	wish->error = errno;
}

static int carry_out(struct wish *wish)
{
	struct profil_gmon *gmon = NULL;
	int saved = errno;
	struct profil_blocked old;

	if (profil_dso_on())
		gmon = profil_gmon_lock(&old);
	if (!gmon) {
		wish->ret = set_alone(wish);
		if (wish->ret == 0)
			take_own(wish);
		return wish->ret;
	}
	do_wish(profil_gmon_is_on() ? gmon : NULL, wish);
	profil_gmon_unlock(gmon, &old);
	errno = wish->ret == 0 ? saved : wish->error;
	return wish->ret;
}

int profil_regions_set(const struct profil_region *wanted, unsigned int nr,
		       unsigned int flags)
{
	struct wish wish = { .regions = wanted, .nr = nr };
	int ret;

	if (!flags)
		return carry_out(&wish);
	ret = profil_backend_set(wanted, nr, flags);
	if (ret == 0 && profil_dso_on())
		tell_thread();
	return ret;
}

int profil_regions_set_dump(const struct profil_region *region,
			    const struct profil_dump *dump)
{
	struct wish wish = { .regions = region, .nr = 1, .dump = dump };

	return carry_out(&wish);
}

int profil_regions_end(unsigned int flags)
{
	struct wish wish = { .nr = 0 };

	return flags ? profil_backend_end(flags) : carry_out(&wish);
}
