/* SPDX-License-Identifier: MIT */
/*
 * libprofil: execution profiles by the kernel's scheduler tick.
 *
 * profil() and sprofil() have the rules of the GNU C library's manual page
 * profil(3) and of its <sys/profil.h>, with counters that stay full instead of
 * wrapping.  A program written for another system defines one of these before
 * the first header, and gets that system's calls instead:
 *
 *	_OSF_SOURCE	OSF/1, Tru64: <profil/osf1.h>
 *	_HPUX_SOURCE	HP-UX: <profil/hpux.h>
 *	_NETBSD_SOURCE	4.4BSD, NetBSD, XNU: <profil/bsd44.h>
 *	_OPENBSD_SOURCE	OpenBSD: <profil/openbsd.h>
 *
 * It may include <unistd.h>, <sys/profil.h> and <sys/gmon.h> as well, before
 * or after.  See profil(3), sprofil(3) and libprofil(7).
 */
#ifndef PROFIL_H
#define PROFIL_H

#if defined(_OSF_SOURCE) + defined(_HPUX_SOURCE) + \
	defined(_NETBSD_SOURCE) + defined(_OPENBSD_SOURCE) > 1
#error "profil.h: more than one of _OSF_SOURCE, _HPUX_SOURCE, _NETBSD_SOURCE \
and _OPENBSD_SOURCE is defined: #undef all but one, or all, before it"
#endif

/* The C library's own declarations come before names are given new meanings. */
#include <sys/types.h>
#include <sys/time.h>
#include <stdint.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <sys/profil.h>
#endif

#if defined(__THROW)
#define PROFIL_THROW	__THROW
#else
#define PROFIL_THROW
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_OSF_SOURCE)
#include <profil/osf1.h>
#elif defined(_HPUX_SOURCE)
#include <profil/hpux.h>
#elif defined(_NETBSD_SOURCE)
#include <profil/bsd44.h>
#elif defined(_OPENBSD_SOURCE)
#include <profil/openbsd.h>
#else
#include <profil/glibc.h>
#endif

/*
 * monstartup, moncontrol, _mcleanup - the run-time of programs built with -pg
 *
 * monstartup	begins to sample and to count calls in the text from lowpc up to,
 *		not including, highpc, two addresses less than 4 GiB apart; a
 *		lowpc where there is no text, as (int) 2, is the first there is
 * moncontrol	mode 0: pauses both; else: goes on
 * _mcleanup	pauses both and writes gmon.out; may be called more than once
 *
 * Samples are counted in 32 bits, where the page has 16, and the C library; calls
 * in 64.
 *
 * They return nothing, and leave errno alone: a line on standard error says what
 * is wrong.
 * Page: 4.3BSD monitor(3).
 */
extern void monstartup(unsigned long lowpc, unsigned long highpc) PROFIL_THROW;
extern void moncontrol(int mode) PROFIL_THROW;
extern void _mcleanup(void)
	PROFIL_THROW;

/*
 * profil_dso_start - from now on, profiles the text of every object that is or
 * will be loaded, not only the program's, each to a file of its own
 *
 * As PROFIL_DSO=1 in the environment does from the beginning.  Called again,
 * it looks at what is loaded now.
 *
 * Returns 0, or -1 and errno:
 *	ENOMEM	no memory
 *	EPERM	the program runs with another's rights
 *
 * Page: libprofil(7).
 */
extern int profil_dso_start(void)
	PROFIL_THROW;

/*
 * monitor - a profile in the caller's buffer, and its end in mon.out
 *
 * lowpc, highpc	the text that is sampled; a lowpc where there is no text,
 *		as (int) 2, is the first text there is; 0 ends the profile and
 *		writes mon.out
 * buffer	of the caller, until the profile has ended; it is cleared
 * bufsize	how many shorts there are: a header of 3 addresses, nfunc
 *		counts of an address and 8 bytes each, the histogram of 16-bit
 *		counters
 * nfunc	how many functions' calls can be kept
 *
 * monitor(0) will do.  Addresses may be of functions, objects, or numbers, as
 * in monstartup; #undef monitor for a program that has one of its own.
 *
 * Reports no error but by a line on standard error, and leaves errno alone;
 * nothing is on then.
 * Page: 4.3BSD monitor(3).
 */
extern void profil_monitor(unsigned long lowpc, unsigned long highpc,
			   void *buffer, size_t bufsize, size_t nfunc)
	PROFIL_THROW;

#if defined(__cplusplus)
}

#include <profil/monitor.hpp>

extern "C" {
#else
#if defined(__GLIBC__)
#include <sys/gmon.h>	/* declares monstartup: before it is a macro */
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wvariadic-macros"
#endif
#define monitor(...)	PROFIL_MONITOR(__VA_ARGS__, 0, 0, 0, 0, 0)
#define PROFIL_MONITOR(lowpc, highpc, buffer, bufsize, nfunc, ...) \
	profil_monitor((unsigned long)(lowpc), (unsigned long)(highpc), \
		       buffer, bufsize, nfunc)
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#define monstartup(lowpc, highpc) \
	monstartup((unsigned long)(lowpc), (unsigned long)(highpc))
#endif

/*
 * profil_backend - what samples this process
 *
 * The first call that needs a backend chooses one.  It stays, unless the kernel
 * turns out to be unable to sample: then the C library takes over.
 * PROFIL_BACKEND=kernel in the environment forbids that.  PROFIL_BACKEND=libc
 * chooses the C library at once.
 *
 * Returns one of the three; never fails.  Page: libprofil(7).
 */
#define PROFIL_BACKEND_NONE	0	/* profil() fails with ENODEV */
#define PROFIL_BACKEND_KERNEL	1	/* /dev/profil */
#define PROFIL_BACKEND_LIBC	2	/* the C library, with SIGPROF */

extern int profil_backend(void)
	PROFIL_THROW;

/*
 * profil_backend_name - the same as a word
 *
 * Says on standard error why the kernel does not sample, if it does not.
 *
 * Returns one of three static strings: "none", "kernel" or "libc".  The caller does
 * not free it.  The call never fails.
 * Page: libprofil(7).
 */
extern const char *profil_backend_name(void)
	PROFIL_THROW;

/*
 * profil_counts_get - the books of the profile that is on, in samples since it
 * was started; without one, the last books of the profile that was stopped
 *
 * counts	where they are written
 * size		that of struct profil_counts
 *
 * seen = binned + outside + lost + pending, exactly, whenever no other thread
 * of the process is running.
 *
 * Returns 0, or -1 and errno:
 *	EINVAL		size is not that of any version of the struct
 *	EOPNOTSUPP	the backend in use keeps no books
 *	ENODEV		/dev/profil has gone, or nothing samples
 *
 * Page: libprofil(7).
 */
struct profil_counts {
	uint64_t seen;		/* samples of threads of the process */
	uint64_t binned;	/* belonged to a counter */
	uint64_t outside;	/* belonged to no region */
	uint64_t lost;		/* no memory, too many, or due but not taken */
	uint64_t saturated;	/* of binned: the counter was full */
	uint64_t pending;	/* not yet in their counters */
	uint64_t excluded;	/* left out on request; not in seen */
	uint64_t cpu_ns;	/* CPU time used meanwhile, nanoseconds */
	uint32_t hz;		/* samples a second */
	uint32_t on;		/* 1: a profile is on */
	uint32_t reason;	/* PROFIL_REASON_* of <profil/ioctl.h> */
	uint32_t reserved;	/* 0 */
};

extern int profil_counts_get(struct profil_counts *counts, size_t size)
	PROFIL_THROW;

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_H */
