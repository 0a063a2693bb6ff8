// SPDX-License-Identifier: MIT
/*
 * The objects that are or were loaded, each with a histogram and calls that
 * stay when it goes and are gone on with when it comes back.
 *
 * An object is known again by its path, the place of its text in it, and the
 * file behind it: one that was rebuilt meanwhile is another.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dso/dso.h"

#define LOADED_MAX	4096u

struct profil_object *profil_objects;

/* Those that are loaded, by address: to find the object of a pc. */
static struct profil_object *loaded[LOADED_MAX];
static uint32_t nr_loaded;
static uint64_t calls_dropped;

static bool same_text(const struct profil_object *object,
		      const struct profil_seen *seen)
{
	return object->gmon.low == seen->low &&
	       object->gmon.arcs.size == seen->high - seen->low &&
	       !strcmp(object->path, seen->name);
}

static bool same_file(const struct profil_object *object, const struct stat *st)
{
	return object->dev == st->st_dev && object->ino == st->st_ino &&
	       object->mtime.tv_sec == st->st_mtim.tv_sec &&
	       object->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

static void look_at_file(const char *path, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	if (*path && stat(path, st) != 0)
		memset(st, 0, sizeof(*st));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_label(const char *label)
{
	const struct profil_object *other;

	for (other = profil_objects; other; other = other->next)
		if (!strcmp(other->label, label))
			return true;
	return false;
}

static struct profil_object *object_alloc(const struct profil_seen *seen)
{
	size_t path_size = strlen(seen->name) + 1;
	size_t label_size = strlen(base_name(seen->name)) + 16;
	size_t size = sizeof(struct profil_object) + path_size + label_size;
	struct profil_object *object = profil_map(size, 0);
	unsigned int nth = 1;

	if (!object)
		return NULL;
	object->path = (char *)(object + 1);
	object->label = object->path + path_size;
	memcpy(object->path, seen->name, path_size);
	strcpy(object->label, base_name(seen->name));
	while (is_label(object->label))
		snprintf(object->label, label_size, "%s.%u",
			 base_name(seen->name), ++nth);
	object->gmon.object = object->label;
	object->gmon.low = seen->low;
	object->gmon.high = seen->high;
	object->gmon.arcs.low = seen->low;
	object->gmon.arcs.size = seen->high - seen->low;
	return object;
}

static struct profil_object *object_new(const struct profil_seen *seen)
{
	struct profil_object *object = object_alloc(seen);

	if (!object)
		return NULL;
	object->next = profil_objects;
	__atomic_store_n(&profil_objects, object, __ATOMIC_RELEASE);
	return object;
}

static struct profil_object *object_still(const struct profil_seen *seen)
{
	struct profil_object *object;

	for (object = profil_objects; object; object = object->next)
		if (object->loaded && !object->seen &&
		    object->bias == seen->bias && same_text(object, seen))
			return object;
	return NULL;
}

static void object_load(const struct profil_seen *seen)
{
	struct profil_object *object;
	struct stat st;

	look_at_file(seen->name, &st);
	for (object = profil_objects; object; object = object->next)
		if (!object->loaded && same_text(object, seen) &&
		    same_file(object, &st))
			break;
	if (!object)
		object = object_new(seen);
	if (!object) {
		profil_report("%s: not profiled: no memory", seen->name);
		return;
	}
	object->dev = st.st_dev;
	object->ino = st.st_ino;
	object->mtime = st.st_mtim;
	object->bias = seen->bias;
	object->outside = seen->outside;
	object->seen = true;
	object->bound = false;
}

static uintptr_t start_of(const struct profil_object *object)
{
	return object->gmon.arcs.low + object->bias;
}

static void loaded_add(struct profil_object *object)
{
	uint32_t i;

	if (nr_loaded == LOADED_MAX)
		return;
	for (i = nr_loaded++; i; i--) {
		if (start_of(loaded[i - 1]) < start_of(object))
			break;
		loaded[i] = loaded[i - 1];
	}
	loaded[i] = object;
}

struct profil_object *profil_objects_at(uintptr_t pc)
{
	uint32_t low = 0, high = nr_loaded;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (pc - start_of(loaded[middle]) <
		    loaded[middle]->gmon.arcs.size)
			return loaded[middle];
		if (pc < start_of(loaded[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static void keep_calls(struct profil_object *object, uintptr_t from,
		       uintptr_t self, uint64_t calls)
{
	/* A return address may be right behind the last instruction. */
	if (from - start_of(object) <= object->gmon.arcs.size)
		from -= object->bias;
	else
		from = object->outside;
	if (profil_kept_add(&object->gmon.kept, from, self - object->bias,
			    calls) != 0)
		calls_dropped += calls;
}

void profil_objects_harvest(struct profil_wide *wide, bool all)
{
	uint32_t used = profil_wide_used(wide);
	struct profil_object *object;
	uint64_t calls;
	uint32_t entry;

	for (entry = 0; entry < used; entry++) {
		uintptr_t self = profil_wide_self(wide, entry);

		object = profil_objects_at(self);
		if (!object || (!all && object->seen))
			continue;
		calls = profil_wide_take(wide, entry);
		if (calls)
			keep_calls(object, profil_wide_from(wide, entry), self,
				   calls);
	}
	if (calls_dropped)
		profil_report("%llu calls not kept: no memory",
			      (unsigned long long)calls_dropped);
	calls_dropped = 0;
}

void profil_objects_forget(struct profil_wide *wide)
{
	uint32_t used = profil_wide_used(wide);
	struct profil_object *object;
	uint32_t entry;

	for (entry = 0; entry < used; entry++)
		profil_wide_take(wide, entry);
	for (object = profil_objects; object; object = object->next) {
		if (object->gmon.hist && object->sampled)
			memset(object->gmon.hist, 0,
			       profil_gmon_bins(&object->gmon) *
			       object->gmon.width);
		profil_kept_forget(object->gmon.kept);
	}
}

bool profil_objects_update(const struct profil_linkmap *map,
			   struct profil_wide *wide)
{
	struct profil_object *object;
	bool gone = false, come = false;
	uint32_t i;

	for (object = profil_objects; object; object = object->next)
		object->seen = false;
	/* First those that stayed: what is where another was is not that. */
	for (i = 0; i < map->nr; i++) {
		object = object_still(&map->seen[i]);
		if (object)
			object->seen = true;
		map->seen[i].known = object;
	}
	for (object = profil_objects; object; object = object->next)
		gone |= object->loaded && !object->seen;
	if (gone)
		profil_objects_harvest(wide, false);
	for (object = profil_objects; object; object = object->next)
		object->loaded = object->seen;
	for (i = 0; i < map->nr; i++) {
		if (map->seen[i].known)
			continue;
		object_load(&map->seen[i]);
		come = true;
	}
	nr_loaded = 0;
	for (object = profil_objects; object; object = object->next) {
		object->loaded = object->seen;
		if (object->loaded)
			loaded_add(object);
	}
	return gone || come;
}
