/* SPDX-License-Identifier: MIT */
/*
 * The calls that begin, pause and end the profile of a program: monstartup(),
 * moncontrol() and _mcleanup(), which have a gmon.out; monitor(), which has a
 * mon.out.
 */
#ifndef LIBPROFIL_MONITOR_H
#define LIBPROFIL_MONITOR_H

#include "internal.h"

/* A function that was called, as monitor() keeps it in the caller's buffer. */
struct profil_call {
	uintptr_t pc;		/* behind its call of mcount */
	uint32_t count[2];	/* low half first */
};

/* monitor.c's state, and what monout.c makes a file of. */
struct profil_mon {
	uintptr_t low, high;
	uintptr_t bias;
	const struct profil_call *calls;
	size_t nr_calls;
	const void *hist;
	size_t bins;
	uint32_t scale;		/* bytes of counters for 65536 of text */
	unsigned int width;	/* bytes a counter */
	unsigned int hz;	/* samples a second */
	bool original;		/* false in a child of fork */
};

/*
 * monitor.c: control is moncontrol() and false if monitor() is not in use;
 * drop ends it without a file.
 */
HIDDEN bool profil_monitor_control(int mode);
HIDDEN void profil_monitor_drop(void);
/*
 * control.c: begin is monstartup(), which the compiler takes for a call that
 * comes back nowhere; to_mon is monitor(0) where only monstartup() was called.
 */
HIDDEN void profil_gmon_begin(uintptr_t low, uintptr_t high, bool by_program);
HIDDEN void profil_gmon_to_mon(void);
/*
 * monitor() takes the calls over, and gives them back.  Those of shared objects
 * are counted on.
 */
HIDDEN void profil_gmon_lend(const struct profil_arcs *arcs);

/* dsostart.c: if the environment asks for it, and it was not yet. */
HIDDEN void profil_dso_start_wanted(void);

/*
 * monout.c: collect fills in at most room calls and returns how many, called
 * being the functions that were; the writers are as profil_gmon_write().
 */
HIDDEN size_t profil_calls_collect(const struct profil_arcs *arcs,
				   struct profil_call *calls, size_t room,
				   size_t *called);
HIDDEN int profil_mon_write(const struct profil_mon *mon, char *name,
			    size_t size);
HIDDEN int profil_gmon_write_mon(const struct profil_gmon *gmon, char *name,
				 size_t size);

#endif /* LIBPROFIL_MONITOR_H */
