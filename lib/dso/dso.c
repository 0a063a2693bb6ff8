// SPDX-License-Identifier: MIT
/*
 * Profiles of shared objects: on request the text of every loaded object is a
 * region of the profile, and has a file of its own.
 *
 * The loader's list is looked at when an object starts (crti.o calls
 * __gmon_start__ in each), around dlopen and dlclose, and when the program
 * asks.  Between two looks the profile stays as it is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <profil.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "block.h"
#include "dso/dso.h"
#include "pg/place.h"

static struct profil_wide *wide;	/* NULL: off */
static struct profil_linkmap map;
static uint32_t looking;
static bool behind;
static bool again;		/* set the profile, whether or not all is known */
static bool by_program;		/* built with -pg, it began itself */

bool profil_dso_on(void)
{
	return profil_dso_wide();
}

struct profil_wide *profil_dso_wide(void)
{
	return __atomic_load_n(&wide, __ATOMIC_ACQUIRE);
}

bool profil_dso_alloc(void)
{
	struct profil_wide *none = NULL;
	struct profil_wide *new;

	if (profil_dso_on())
		return true;
	profil_place_begin();
	new = profil_wide_alloc();
	/* Of two at once, one is for nothing. */
	if (new)
		__atomic_compare_exchange_n(&wide, &none, new, false,
					    __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
	return new;
}

bool profil_dso_wanted(void)
{
	const char *wish = secure_getenv("PROFIL_DSO");
	static bool told;

	if (!wish || !*wish || !strcmp(wish, "0"))
		return false;
	if (!strcmp(wish, "1"))
		return true;
	if (!told)
		profil_report("PROFIL_DSO=%s: not 0, not 1: ignored", wish);
	told = true;
	return false;
}

static bool look_begin(struct profil_blocked *old, bool wait)
{
	profil_block(old);
	while (__atomic_exchange_n(&looking, 1, __ATOMIC_ACQUIRE)) {
		if (!wait) {
			profil_unblock(old);
			return false;
		}
		sched_yield();
	}
	return true;
}

static void look_end(const struct profil_blocked *old)
{
	__atomic_store_n(&looking, 0, __ATOMIC_RELEASE);
	profil_unblock(old);
}

static void update_objects(struct profil_gmon *gmon)
{
	/* Where shared objects were asked for after the start. */
	if (!gmon->arcs.wide)
		__atomic_store_n(&gmon->arcs.wide, wide, __ATOMIC_RELEASE);
	if ((profil_objects_update(&map, wide) || again) && profil_gmon_is_on())
		profil_dso_sample_gmon(gmon);
}

static void update_locked(void)
{
	struct profil_blocked old;
	struct profil_gmon *gmon = profil_gmon_lock(&old);

	if (!gmon)
		return;
	update_objects(gmon);
	profil_gmon_unlock(gmon, &old);
}

static void look_locked(bool afresh)
{
	again = afresh;
	if (wide)
		profil_wide_retry(wide);
	if (afresh)
		map.adds = 0;
	if (!profil_linkmap_look(&map))
		return;
	if (map.left_out)
		profil_report("%u shared objects not profiled: too many",
			      map.left_out);
	update_locked();
	profil_dso_bind();
}

void profil_dso_look(bool afresh)
{
	int saved = errno;
	struct profil_blocked old;

	/* The loader may wait for a thread that waits for the lock below. */
	profil_dso_find_others();
	profil_backend_find();
	look_begin(&old, true);
	__atomic_store_n(&behind, false, __ATOMIC_RELAXED);
	look_locked(afresh);
	look_end(&old);
	errno = saved;
}

void profil_dso_behind(void)
{
	__atomic_store_n(&behind, true, __ATOMIC_RELAXED);
}

/* Not at the cost of a wait: this may be a signal handler. */
void profil_dso_catch_up(void)
{
	struct profil_blocked old;

	if (!__atomic_load_n(&behind, __ATOMIC_RELAXED) ||
	    !look_begin(&old, false))
		return;
	__atomic_store_n(&behind, false, __ATOMIC_RELAXED);
	look_locked(false);
	look_end(&old);
}

void profil_dso_forked(void)
{
	__atomic_store_n(&looking, 0, __ATOMIC_RELEASE);
	/* Another thread may have been in the middle of one. */
	map.adds = 0;
}

/* A program that begins anew forgets; not what came before its beginning. */
struct profil_wide *profil_dso_begin(bool program)
{
	static bool begun;

	by_program = program;
	if (!profil_dso_on() && !(profil_dso_wanted() && profil_dso_alloc()))
		return NULL;
	if (begun)
		profil_objects_forget(wide);
	begun = program;
	return wide;
}

static bool wants_file(const struct profil_object *object)
{
	return *object->path && object->gmon.kept && *object->gmon.kept->used;
}

static bool has_file(const struct profil_object *object)
{
	return *object->path && object->gmon.hist &&
	       !profil_gmon_empty(&object->gmon);
}

/* Also what has nothing to say, if the program asked for its profile itself. */
static bool is_empty(const struct profil_gmon *gmon)
{
	struct profil_object *object;

	if (by_program || !profil_gmon_empty(gmon))
		return false;
	for (object = profil_objects; object; object = object->next)
		if (has_file(object))
			return false;
	return true;
}

/* gmon.out and gmon.NAME.out, where users of gcc -pg look for them. */
static void name_latest(struct profil_gmon *gmon)
{
	const char *path = profil_place_path();
	struct profil_object *object;
	bool named = profil_latest_begin(path);

	gmon->placed = false;
	profil_gmon_save(gmon);
	for (object = profil_objects; named && object; object = object->next)
		if (has_file(object))
			profil_latest_add(path, object->label);
	profil_latest_end();
}

static void gather_files(struct profil_gmon *gmon)
{
	struct profil_object *object;

	profil_objects_harvest(wide, true);
	/* The file of calls alone has counters too. */
	profil_hists_map(wants_file, true);
	for (object = profil_objects; object; object = object->next) {
		if (!*object->path)
			gmon->kept = object->gmon.kept;
		object->gmon.hz = gmon->hz;
		object->gmon.arcs.wiped = gmon->arcs.wiped;
		object->gmon.placed = true;
		if (wants_file(object) && !object->gmon.hist)
			profil_report("%s: no memory: no profile written",
				      object->label);
	}
}

bool profil_dso_by_program(void)
{
	return by_program;
}

void profil_dso_write(struct profil_gmon *gmon)
{
	struct profil_object *object;

	gather_files(gmon);
	if (is_empty(gmon))
		return;
	if (profil_place_make() != 0) {
		profil_report("%s: %s: no profile written",
			      profil_place_path(), profil_error(errno));
		return;
	}
	gmon->placed = true;
	profil_gmon_save(gmon);
	/* The program's are in its own file. */
	for (object = profil_objects; object; object = object->next)
		if (has_file(object))
			profil_gmon_save(&object->gmon);
	if (by_program && gmon->arcs.wiped->original &&
	    !profil_place_prefixed())
		name_latest(gmon);
	profil_place_tell();
}
