/* SPDX-License-Identifier: MIT */
/*
 * What the files that profile shared objects share.
 *
 * An object is a file of text that was loaded at least once, the program among
 * them.  While it is loaded it has an address; its counts outlive that.
 *
 * Two locks: the one of a look at the loader's list, and, inside it, gmon.c's,
 * which guards objects and their counts.  With the second held, no thread
 * waits for the loader, so that a handler may take it too.
 */
#ifndef LIBPROFIL_DSO_H
#define LIBPROFIL_DSO_H

#include <sys/types.h>

#include "internal.h"
#include "pg/calls.h"
#include "pg/gmon.h"

/* linkmap.c: an object as the loader has it now, by link-time addresses. */
struct profil_seen {
	const char *name;	/* "" is the program */
	uintptr_t bias;		/* run-time minus link-time address */
	uintptr_t low, high;	/* from the first to the last of its text */
	uintptr_t outside;	/* stands for every caller in other text */
	struct profil_object *known;	/* for objects.c */
};

/* Where a look writes: what was seen from the front, names from the end. */
struct profil_linkmap {
	unsigned long long adds, subs;	/* of the loader, at the last look */
	uint32_t nr;
	uint32_t left_out;	/* no room */
	bool same;		/* nothing has changed since */
	struct profil_seen *seen;
	size_t size;		/* bytes, for both */
	size_t wanted;
	char *names;		/* the first of them */
};

HIDDEN bool profil_linkmap_look(struct profil_linkmap *map);
/* The program's, but for its name. */
HIDDEN bool profil_linkmap_program(struct profil_seen *seen);

/* objects.c: under gmon.c's lock. */
struct profil_object {
	struct profil_gmon gmon;	/* low, high: link-time; bias 0 */
	struct profil_object *next;
	uintptr_t bias;
	uintptr_t outside;
	bool loaded, seen;
	bool sampled;		/* has been in a profile that was set */
	bool left_out;		/* could not be */
	bool bound;		/* its references to mcount were looked at */
	bool elsewhere;		/* one of them is not to this library's */
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
	char *path;
	char *label;		/* base name, and a number if another has it */
};

HIDDEN extern struct profil_object *profil_objects;
/* Makes the known objects those that were seen; true: some came or went. */
HIDDEN bool profil_objects_update(const struct profil_linkmap *map,
				  struct profil_wide *wide);
/* The one that is loaded there, or NULL. */
HIDDEN struct profil_object *profil_objects_at(uintptr_t pc);
/* Zero samples and calls. */
HIDDEN void profil_objects_forget(struct profil_wide *wide);
/* Moves the calls of objects to them: of all, or of those that have gone. */
HIDDEN void profil_objects_harvest(struct profil_wide *wide, bool all);

/* room.c */
struct profil_room {
	uint64_t bytes;
	const char *limit;	/* that sets it; NULL: no limit */
};

HIDDEN struct profil_room profil_room(void);

/*
 * hists.c: maps the histograms that objects still want: all of them, or those
 * that there is room for.  Returns NULL, or what made them coarse,
 * or left one out.
 */
HIDDEN const char *
profil_hists_map(bool (*wants)(const struct profil_object *object), bool all);

/*
 * cut.c: leaves of a region what no region of the program's own would lose to
 * it; false if that is nothing.  Sets overlap where a pc is in both.
 */
HIDDEN bool profil_region_cut(struct profil_region *region,
			      const struct profil_region *own, uint32_t nr_own,
			      bool *overlap);

/*
 * sample.c: sets the profile of the program's text and of the objects' beside
 * what the program set itself; ends it; all: that, too.
 */
HIDDEN int profil_dso_sample(const struct profil_region *program);
/* The program's text is that of the profile; tells of a failure. */
HIDDEN void profil_dso_sample_gmon(const struct profil_gmon *gmon);
HIDDEN int profil_dso_pause(bool all);

/*
 * bind.c: find_others asks the loader for other functions that count calls.  bind
 * lets the calls of new objects be counted here.  The first comes before the lock,
 * because the loader may wait for a thread that wants the lock.
 */
HIDDEN void profil_dso_find_others(void);
HIDDEN void profil_dso_bind(void);

/*
 * dso.c: what control.c calls.  begin comes before anything is counted in gmon,
 * whether by the program's own wish or for it, and returns what takes the
 * calls, or NULL; write writes the files, both under the lock.
 */
HIDDEN bool profil_dso_on(void);
/* The environment asks for it. */
HIDDEN bool profil_dso_wanted(void);
/* On from here, and no more; false: no memory. */
HIDDEN bool profil_dso_alloc(void);
HIDDEN struct profil_wide *profil_dso_begin(bool program);
/* Takes the calls, or NULL. */
HIDDEN struct profil_wide *profil_dso_wide(void);
/* The program's text is profiled because it was built with -pg. */
HIDDEN bool profil_dso_by_program(void);
HIDDEN void profil_dso_write(struct profil_gmon *gmon);
HIDDEN void profil_dso_forked(void);
/* Looks at what is loaded now; afresh: also where nothing has changed. */
HIDDEN void profil_dso_look(bool afresh);
/* Something may be loaded that was not looked at, and will be later. */
HIDDEN void profil_dso_behind(void);
HIDDEN void profil_dso_catch_up(void);

#endif /* LIBPROFIL_DSO_H */
