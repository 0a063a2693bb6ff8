// SPDX-License-Identifier: MIT
/*
 * Follows dlopen, dlmopen and dlclose, where shared objects are profiled.
 * Where they are not, these are jumps to the loader's.
 *
 * The caller of dlopen decides where the loader searches.  So the loader is
 * called from here only where that makes no difference; else it is jumped to as
 * if called by the caller, and what it loaded is seen later.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "dso/dso.h"
#include "dynamic.h"
#include "monitor/monitor.h"
#include "signal/signals.h"

#define ELF_DYN		ElfW(Dyn)
#define TRIES		1000	/* of a ms, for the lock */

/* A C library without the flag (musl) has no such objects. */
#if !defined(RTLD_DEEPBIND)
#define RTLD_DEEPBIND	0
#endif

/*
 * No thread loads an object while another unloads one, until it is known what
 * went, if that is known within a second.  An object's constructor may load in the
 * thread that has the lock; as with the loader's own lock, it must not wait there
 * for another thread.
 */
static pthread_mutex_t serial = PTHREAD_MUTEX_INITIALIZER;
static pthread_t serial_owner;
static unsigned int serial_depth;

static bool serial_mine(void)
{
	return __atomic_load_n(&serial_depth, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&serial_owner, __ATOMIC_RELAXED) ==
	       pthread_self();
}

static void serial_forked(void)
{
	if (serial_mine())
		return;
	serial = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	serial_depth = 0;
}

static void serial_init(void)
{
	pthread_atfork(NULL, NULL, serial_forked);
}

/* The clock of pthread_mutex_timedlock() may be set back. */
static void serial_nap(void)
{
	int cancel = profil_cancel_disable();

	usleep(1000);
	profil_cancel_restore(cancel);
}

/*
 * The wait ends after a second, and returns false.  This thread may be in a
 * constructor, and so have the loader's lock, which the owner waits for.
 */
static bool serial_lock(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int tries = 0;

	pthread_once(&once, serial_init);
	if (!serial_mine()) {
		while (pthread_mutex_trylock(&serial) != 0) {
			if (tries++ == TRIES)
				return false;
			serial_nap();
		}
		__atomic_store_n(&serial_owner, pthread_self(),
				 __ATOMIC_RELAXED);
	}
	__atomic_store_n(&serial_depth, serial_depth + 1, __ATOMIC_RELEASE);
	return true;
}

static void serial_unlock(bool locked)
{
	if (!locked)
		return;
	__atomic_store_n(&serial_depth, serial_depth - 1, __ATOMIC_RELEASE);
	if (!serial_depth)
		pthread_mutex_unlock(&serial);
}

/* Without the lock another thread's object may not be relocated yet. */
static void look_if(bool locked)
{
	if (locked)
		profil_dso_look(false);
	else
		profil_dso_behind();
}

/* What the loader's list says of the caller's object and of this library. */
struct paths {
	uintptr_t caller;
	unsigned int nr;
	bool ours;		/* the caller is in the object of this code */
	bool caller_has, ours_has;	/* DT_RUNPATH */
	bool inherited;		/* DT_RPATH, but for the program's */
};

static bool has_tag(const struct dl_phdr_info *info, ElfW(Sxword) tag)
{
	const ELF_DYN *dyn;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		dyn = (const ELF_DYN *)(info->dlpi_addr +
					  info->dlpi_phdr[i].p_vaddr);
		for (; dyn->d_tag != DT_NULL; dyn++)
			if (dyn->d_tag == tag)
				return true;
	}
	return false;
}

static int find_paths(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct paths *paths = arg;
	bool caller = profil_object_has(info, paths->caller);
	bool ours = profil_object_has(info, (uintptr_t)&serial);

	(void)size;
	if (caller && ours)
		paths->ours = true;
	if (caller && has_tag(info, DT_RUNPATH))
		paths->caller_has = true;
	if (ours && (has_tag(info, DT_RUNPATH) || has_tag(info, DT_RPATH)))
		paths->ours_has = true;
	/* The program's serves every caller. */
	if (paths->nr++ && has_tag(info, DT_RPATH))
		paths->inherited = true;
	return 0;
}

/* Whether the loader would do the same if called from here. */
static bool caller_matters(const char *name, uintptr_t caller)
{
	struct paths paths = { .caller = caller };

	if (!name || !*name)
		return false;
	dl_iterate_phdr(find_paths, &paths);
	if (paths.ours)
		return false;
	if (paths.inherited)
		return true;
	if (strchr(name, '/'))
		return strchr(name, '$');
	return paths.caller_has || paths.ours_has;
}

static void *next_dlopen, *next_dlclose;

/* The __gmon_start__ of here, whatever else the process has of the name. */
HIDDEN void profil_gmon_start(void);

static void *follow_dlopen(const char *name, int mode)
{
	void *(*next)(const char *name, int mode) = next_dlopen;
	bool locked = serial_lock();
	void *handle;

	look_if(locked);
	handle = next(name, mode);
	look_if(locked);
	serial_unlock(locked);
	return handle;
}

/*
 * Such an object finds the C library's mcount first, which __gmon_start__
 * mends before its constructors, or else the look after them.
 */
static void tell_deep(const char *name, long mode, bool followed)
{
	static bool told;

	if (!(mode & RTLD_DEEPBIND) || !name ||
	    dlsym(RTLD_DEFAULT, "__gmon_start__") == (void *)profil_gmon_start ||
	    __atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		return;
	profil_report("%s: opened with RTLD_DEEPBIND: calls %s are not counted: the program exports a __gmon_start__ (-rdynamic)",
		      name, followed ? "of its constructors" :
				       "before the next dlopen()");
}

/*
 * Called by dlcall.S, which then jumps to what is returned, with the caller's
 * arguments and return address.
 */
HIDDEN void *profil_dlopen_to(const char *name, long mode, long unused,
			      uintptr_t caller);
void *profil_dlopen_to(const char *name, long mode, long unused,
		       uintptr_t caller)
{
	void *next = profil_next("dlopen", &next_dlopen);
	bool follow;

	(void)unused;
	if (!profil_dso_on())
		return next;
	follow = !caller_matters(name, caller);
	tell_deep(name, mode, follow);
	if (follow)
		return follow_dlopen;
	profil_dso_look(false);
	profil_dso_behind();
	return next;
}

#if defined(__GLIBC__)
static void *next_dlmopen;

static void *follow_dlmopen(Lmid_t space, const char *name, int mode)
{
	void *(*next)(Lmid_t space, const char *name, int mode) = next_dlmopen;
	bool locked = serial_lock();
	void *handle;

	look_if(locked);
	handle = next(space, name, mode);
	look_if(locked);
	serial_unlock(locked);
	return handle;
}

/* dl_iterate_phdr() here knows nothing of it, and it finds no mcount here. */
static void tell_space(const char *name)
{
	static bool told;

	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		profil_report("%s: not profiled, as all that dlmopen() loads into another name space",
			      name);
}

HIDDEN void *profil_dlmopen_to(Lmid_t space, const char *name, long mode,
			       uintptr_t caller);
void *profil_dlmopen_to(Lmid_t space, const char *name, long mode,
			uintptr_t caller)
{
	void *next = profil_next("dlmopen", &next_dlmopen);

	(void)mode;
	if (!profil_dso_on())
		return next;
	if (space != LM_ID_BASE && name && *name)
		tell_space(name);
	if (!caller_matters(name, caller))
		return follow_dlmopen;
	profil_dso_look(false);
	profil_dso_behind();
	return next;
}
#endif

EXPORT int dlclose(void *handle)
{
	int (*next)(void *handle) = profil_next("dlclose", &next_dlclose);
	bool locked;
	int ret;

	if (!profil_dso_on())
		return next(handle);
	locked = serial_lock();
	look_if(locked);
	ret = next(handle);
	look_if(locked);
	serial_unlock(locked);
	return ret;
}

/*
 * crti.o calls this in every object before its constructors, if there is one.
 * The program's own, where that is built with -pg, comes first.
 */
EXPORT void __gmon_start__(void)
	ALIAS(profil_gmon_start);
void profil_gmon_start(void)
{
	if (profil_dso_on())
		profil_dso_look(false);
	else
		profil_dso_start_wanted();
}

/* For objects that begin without crti.o. */
static __attribute__((constructor)) void begin_profile(void)
{
	profil_dso_start_wanted();
}
