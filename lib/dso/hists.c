// SPDX-License-Identifier: MIT
/*
 * The histograms of objects, which are mapped when they are first needed, as
 * fine as there is room for.
 */
#include "dso/dso.h"

/* The finest have 4 bytes for 2, and 1024 of text is as coarse as it gets. */
#define DOUBLINGS_MAX	9

static void set_bins(struct profil_object *object, unsigned int times)
{
	unsigned int bin_text;

	profil_gmon_bins_finest(&object->gmon);
	bin_text = object->gmon.bin_text << times;
	profil_gmon_bins_set(&object->gmon, bin_text < PROFIL_BIN_TEXT_MAX ?
			     bin_text : PROFIL_BIN_TEXT_MAX, object->gmon.width);
}

static size_t hist_size(const struct profil_object *object)
{
	size_t page = profil_page_size();

	return (profil_gmon_bins(&object->gmon) * object->gmon.width + page -
		1) & -page;
}

static bool map_one(struct profil_object *object, unsigned int times)
{
	for (; times <= DOUBLINGS_MAX; times++) {
		set_bins(object, times);
		object->gmon.hist = profil_map(0, hist_size(object));
		if (object->gmon.hist)
			return true;
	}
	return false;
}

static bool is_wanted(const struct profil_object *object,
		      bool (*wants)(const struct profil_object *object))
{
	return !object->gmon.hist && wants(object);
}

/* How often the finest bins are to be doubled, so that all fit. */
static unsigned int
count_doublings(bool (*wants)(const struct profil_object *object),
		uint64_t room)
{
	struct profil_object *object;
	unsigned int times;
	uint64_t bytes;

	for (times = 0; times < DOUBLINGS_MAX; times++) {
		bytes = 0;
		for (object = profil_objects; object; object = object->next) {
			if (!is_wanted(object, wants))
				continue;
			set_bins(object, times);
			bytes += hist_size(object);
		}
		if (bytes <= room)
			break;
	}
	return times;
}

static bool any_wanted(bool (*wants)(const struct profil_object *object))
{
	struct profil_object *object;

	for (object = profil_objects; object; object = object->next)
		if (is_wanted(object, wants))
			return true;
	return false;
}

const char *profil_hists_map(bool (*wants)(const struct profil_object *object),
			     bool all)
{
	struct profil_object *object;
	struct profil_room room;
	bool scarce = false;
	unsigned int times;

	if (!any_wanted(wants))
		return NULL;
	room = profil_room();
	times = count_doublings(wants, room.bytes);
	for (object = profil_objects; object; object = object->next) {
		if (!is_wanted(object, wants))
			continue;
		set_bins(object, times);
		if ((hist_size(object) > room.bytes && !all) ||
		    !map_one(object, times)) {
			object->left_out = true;
			scarce = true;
			continue;
		}
		scarce |= object->gmon.bin_text > PROFIL_BIN_TEXT_TOLD;
		room.bytes -= room.bytes < hist_size(object) ?
			      room.bytes : hist_size(object);
	}
	if (!scarce)
		return NULL;
	return room.limit ? room.limit : "memory";
}
