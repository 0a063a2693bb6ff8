/* SPDX-License-Identifier: MIT */
/*
 * What the files of libprofil share: the device, the choice of a backend, and
 * the state of the -pg run-time.
 */
#ifndef LIBPROFIL_INTERNAL_H
#define LIBPROFIL_INTERNAL_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <sys/time.h>
#include <profil/ioctl.h>

#define EXPORT		__attribute__((visibility("default")))
#define HIDDEN		__attribute__((visibility("hidden")))
#define ALIAS(name)	__attribute__((alias(#name), visibility("default")))

/* fail.c: sets errno and returns -1. */
HIDDEN extern bool profil_asked;	/* the program asked for a profile */
HIDDEN extern bool profil_confined;	/* it has set a filter of system calls */
HIDDEN int profil_fail(int error);

/* device.c: return 0, or -1 and errno; flags are PROFIL_F_*. */
HIDDEN int profil_device_info(struct profil_info *info);
HIDDEN int profil_device_set(const struct profil_region *regions,
			     unsigned int nr, unsigned int flags);
HIDDEN int profil_device_set_dump(const struct profil_region *regions,
				  unsigned int nr,
				  const struct profil_dump *dump);
HIDDEN int profil_device_stop(struct profil_status *status,
			      unsigned int flags);
HIDDEN int profil_device_query(struct profil_status *status);
/* Bytes: what the kernel would not pin. */
HIDDEN uint64_t profil_device_wanted(void);
/* The process's profile was started, and not ended by profil_device_stop(). */
HIDDEN bool profil_device_is_on(void);

/* note.c: 0, or -1 and EPERM if the program carries no profiling note. */
HIDDEN int profil_note_check(void);

HIDDEN int profil_device_query_regions(struct profil_status *status,
				       struct profil_region_status *states,
				       unsigned int nr);

/*
 * backend.c: the primitive of every dialect, whatever serves it.  set starts,
 * or replaces what is on; one that fails has changed nothing.  Ending what is
 * not on is no error.  flags are PROFIL_F_*; PROFIL_F_THREAD is the kernel's
 * alone.
 */
HIDDEN int profil_backend_set(const struct profil_region *regions,
			      unsigned int nr, unsigned int flags);
HIDDEN int profil_backend_end(unsigned int flags);

/*
 * sample.c: the same for what the program itself starts and ends; where shared
 * objects are profiled, that goes on beside it.
 */
HIDDEN int profil_regions_set(const struct profil_region *regions,
			      unsigned int nr, unsigned int flags);
HIDDEN int profil_regions_set_dump(const struct profil_region *region,
				   const struct profil_dump *dump);
HIDDEN int profil_regions_end(unsigned int flags);

static inline int profil_regions_start(const struct profil_region *regions,
				       unsigned int nr)
{
	return profil_regions_set(regions, nr, 0);
}

static inline int profil_regions_stop(void)
{
	return profil_regions_end(0);
}

/* The kernel is unable: the C library from now on, unless that is forbidden. */
HIDDEN bool profil_backend_give_up(void);
/* Asks the loader for libc's profil(), before a lock that it may wait for. */
HIDDEN void profil_backend_find(void);
/*
 * Says why the kernel does not sample, once, and what does instead: without,
 * if ret, of the start of a profile, is not 0.  Returns ret; errno stays.
 */
HIDDEN int profil_backend_tell(int ret, const char *without);
HIDDEN bool profil_width_known(unsigned int width);
HIDDEN unsigned int profil_regions_max(void);
HIDDEN bool profil_writable(uint64_t base, uint64_t size);
HIDDEN unsigned int profil_hz(void);	/* samples a second */

static inline struct timeval profil_period(void)
{
	unsigned int hz = profil_hz();
	struct timeval period = { hz == 1, hz == 1 ? 0 : 1000000 / hz };

	return period;
}

/*
 * May samples be added to those that were taken hz times a second?  hz is 0 where
 * there are none.  If the rate is another now, the answer is no, after a message.
 */
HIDDEN bool profil_hz_is_still(unsigned int hz);

/*
 * rate.c: what PROFIL_RATE asks for, once it is known what the kernel can do.
 * rate is 0 for the tick.  tell says why what was asked for can't be had; kernel:
 * the kernel samples.  give_up returns false if it was the tick already.
 */
struct profil_info;
HIDDEN void profil_rate_choose(const struct profil_info *info);
HIDDEN void profil_rate_tell(bool kernel);
HIDDEN uint32_t profil_rate(void);
HIDDEN bool profil_rate_give_up(void);

/*
 * dialect.c: return 0, or -1 and errno.  start ends the profile that was on if
 * a buffer is no memory (EFAULT); start_one also if the buffer has no counter,
 * which is no error.  fail_unserved and set tell the user of a cause that is
 * not the program's.  The copies to and from the program's pointers fail with
 * EFAULT where a store or load would.
 */
HIDDEN int profil_fail_unserved(int error);
HIDDEN int profil_dialect_set(const struct profil_region *regions,
			      unsigned int nr, unsigned int flags);
HIDDEN int profil_dialect_start(const struct profil_region *regions,
				unsigned int nr, unsigned int flags);
HIDDEN int profil_dialect_start_one(const struct profil_region *region,
				    unsigned int flags);
HIDDEN int profil_copy_in(void *to, const void *from, size_t size);
HIDDEN int profil_copy_out(void *to, const void *from, size_t size);

/*
 * why.c: "outcome: cause; remedy", unless the cause was said before.  error is
 * that of the call which failed.
 */
HIDDEN void profil_why(const char *outcome, int error);
/* With CAP_IPC_LOCK, for which RLIMIT_MEMLOCK is no limit. */
HIDDEN bool profil_locks_all(void);
HIDDEN void profil_why_memlock(char *text, size_t size, uint64_t bytes);
HIDDEN bool profil_file_has(const char *name, const char *text);

/* books.c */
HIDDEN void profil_books_keep(const struct profil_status *status);
/* Reports lost samples, and why the kernel stopped before the program did. */
HIDDEN void profil_report_books(void);

/* report.c: one line on standard error, each once. */
HIDDEN void profil_report(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* For a profile that is lost: where there is no standard error, in syslog. */
HIDDEN void profil_report_lost(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* As it is, with its end of line; false if that could not be written. */
HIDDEN bool profil_report_line(const char *line, size_t len);
/* True for the first of all calls with this text, in any forked child. */
HIDDEN bool profil_report_first(const char *text);
/* From here on children know what was said. */
HIDDEN void profil_report_share(void);
/* As strerror(), but also in a signal handler. */
HIDDEN const char *profil_error(int error);

/*
 * mem.c: stays bytes that a forked child shares the contents of, then wiped
 * bytes that it finds zero, each rounded up to pages.  NULL: errno.
 */
HIDDEN void *profil_map(size_t stays, size_t wiped);
HIDDEN void profil_map_small(void *map, size_t size);
HIDDEN size_t profil_page_size(void);

/*
 * arcs.c: an arc is (return address of the call, address in the function
 * called) and a count.  The slots are a hash table that never grows; a key is
 * written once, 0 is a free slot.
 */
struct profil_arc {
	uint64_t key;		/* from - low, then self - low, 32 bits each */
	uint32_t count[2];	/* low half first */
};

/* Zero in a forked child, like the slots and the histogram. */
struct profil_wiped {
	uint32_t original;	/* 1: this process called monstartup itself */
	uint32_t locked;
	uint32_t calls_lost;	/* the table was full */
};

/* Never changes while profil_arcs_on points to it. */
struct profil_arcs {
	uintptr_t low;		/* lowest pc */
	uintptr_t size;		/* bytes of text */
	struct profil_arc *slots;
	struct profil_wiped *wiped;
	uint32_t mask;		/* slots - 1, slots being a power of two */
	struct profil_wide *wide;	/* takes all of them, or NULL */
	uint32_t by_function;	/* 1: from is low in all keys, for monitor() */
} __attribute__((aligned(16)));	/* slots behind it lie in one cache line each */

HIDDEN extern const struct profil_arcs *profil_arcs_on;

/* widearcs.c: false if there is no room. */
HIDDEN bool profil_wide_count(struct profil_wide *wide, uintptr_t from,
			      uintptr_t self);
static inline const struct profil_arcs *profil_arcs_now(void)
{
	return __atomic_load_n(&profil_arcs_on, __ATOMIC_RELAXED);
}

HIDDEN void profil_arc_count(uintptr_t from, uintptr_t self);
HIDDEN uint32_t profil_arcs_slots(uintptr_t text);

static inline uint64_t profil_arc_calls(const struct profil_arc *arc)
{
	return (uint64_t)__atomic_load_n(&arc->count[1], __ATOMIC_RELAXED)
		<< 32 | __atomic_load_n(&arc->count[0], __ATOMIC_RELAXED);
}

/* gmon.c's state, and what gmonout.c makes a file of. */
struct profil_gmon {
	struct profil_arcs arcs;
	bool on;		/* moncontrol() has not paused it */
	bool written;		/* by _mcleanup(), and not resumed since */
	uintptr_t low, high;	/* text, whole bins */
	uintptr_t bias;		/* run-time minus link-time address */
	void *hist;
	unsigned int bin_text;	/* bytes of text a bin */
	unsigned int width;	/* bytes a counter: 2 or 4 */
	unsigned int hz;	/* samples a second */
	bool placed;		/* the file's name is place.c's */
	const char *object;	/* name in the file's; NULL: the program */
	struct profil_kept *kept;	/* more calls, see dso.h; or NULL */
};

static inline size_t profil_gmon_bins(const struct profil_gmon *gmon)
{
	return (gmon->high - gmon->low) / gmon->bin_text;
}

/*
 * onsignal.c: installs the handlers that the environment asks for, once; they
 * call finish before the signal ends the program.
 */
HIDDEN void profil_on_signal(void (*finish)(void));

/* gmonout.c: returns 0, or -1 and errno; name is the file's, for messages. */
HIDDEN int profil_gmon_write(const struct profil_gmon *gmon, char *name,
			     size_t size);

/* Under the lock: writes a file, or reports why not. */
HIDDEN void profil_gmon_save(const struct profil_gmon *gmon);
/* No samples, no calls in kept. */
HIDDEN bool profil_gmon_empty(const struct profil_gmon *gmon);

/*
 * gmonbsd.c: with PROFDIR the kernel writes the file.  start asks for it if it
 * is wanted and says why not; finish lays it out, and returns false if this
 * run-time is to write its own.  find_note asks the loader before the lock that
 * start is called under.
 */
HIDDEN void profil_gmonbsd_find_note(void);
HIDDEN void profil_gmonbsd_start(const struct profil_gmon *gmon,
				 const struct profil_region *region);
HIDDEN bool profil_gmonbsd_finish(const struct profil_gmon *gmon);

/* text.c: the object, program or library, that has memory at pc. */
struct profil_text {
	uintptr_t low, high;	/* all of it */
	uintptr_t first;	/* lowest executable address */
	uintptr_t bias;		/* run-time minus link-time address */
};

HIDDEN bool profil_text_find(uintptr_t pc, struct profil_text *text);
/* low, or where the text begins if low lies before it: (int) 2. */
HIDDEN uintptr_t profil_text_low(uintptr_t low, uintptr_t high);

#endif /* LIBPROFIL_INTERNAL_H */
