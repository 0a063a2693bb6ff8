// SPDX-License-Identifier: MIT
/*
 * The histograms of objects, which are mapped when they are first needed, as
 * fine as there is room for.
 */
#include "dso.h"

/* The finest have 4 bytes for 2, and 1024 of text is as coarse as it gets. */
#define HALVES_MAX	9

static void set_bins(struct profil_object *object, unsigned int halves)
{
	unsigned int bin_text;

	profil_gmon_bins_finest(&object->gmon);
	bin_text = object->gmon.bin_text << halves;
	profil_gmon_bins_set(&object->gmon, bin_text < BIN_TEXT_MAX ?
			     bin_text : BIN_TEXT_MAX, object->gmon.width);
}

static size_t hist_size(const struct profil_object *object)
{
	size_t page = profil_page_size();

	return (profil_gmon_bins(&object->gmon) * object->gmon.width + page -
		1) & -page;
}

static bool map_one(struct profil_object *object, unsigned int halves)
{
	for (; halves <= HALVES_MAX; halves++) {
		set_bins(object, halves);
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

const char *profil_hists_map(bool (*wants)(const struct profil_object *object))
{
	struct profil_object *object;
	struct profil_room room;
	unsigned int halves;
	const char *limit = NULL;
	uint64_t bytes = 0;

	for (object = profil_objects; object; object = object->next)
		if (is_wanted(object, wants))
			break;
	if (!object)
		return NULL;
	room = profil_room();
	for (halves = 0; halves <= HALVES_MAX; halves++) {
		bytes = 0;
		for (object = profil_objects; object; object = object->next) {
			if (!is_wanted(object, wants))
				continue;
			set_bins(object, halves);
			bytes += hist_size(object);
		}
		if (bytes <= room.bytes)
			break;
	}
	for (object = profil_objects; object; object = object->next) {
		if (!is_wanted(object, wants))
			continue;
		if (!map_one(object, halves)) {
			object->left_out = true;
			limit = room.limit ? room.limit : "memory";
		} else if (object->gmon.bin_text > BIN_TEXT_TOLD) {
			limit = room.limit ? room.limit : "memory";
		}
	}
	return limit;
}
