/* SPDX-License-Identifier: MIT */
/* profil(), sprofil() and their limit as of HP-UX.  Included by <profil.h>. */
#ifndef PROFIL_HPUX_H
#define PROFIL_HPUX_H

/*
 * profil - start, replace or end the profile of this process
 *
 * buff		16-bit counters, aligned to 2
 * bufsiz	bytes, even; 0 ends the profile
 * offset	lowest pc that is counted
 * scale	bytes of buffer for 65536 bytes of text, at most 0x20000; 0 and 1
 *		end the profile; 2 with offset 0 counts every pc in the first
 *		counter
 *
 * Returns 0 (on HP-UX, nothing), or -1 and errno:
 *	EFAULT	buff is not, whole, writable memory; no profile is on
 *	EINVAL	scale above 0x20000, bufsiz odd, buff not aligned; nothing has
 *		changed
 *	ENOMEM	no memory, or RLIMIT_MEMLOCK would be passed
 *	ENODEV	PROFIL_BACKEND=kernel, and there is no usable /dev/profil
 *	EBUSY	kernel.ftrace_enabled is 0, and the C library does not take over
 *	EOPNOTSUPP  a buffer in a shared mapping of a file on disk, where the C
 *		library does not take over; scale 2 with offset 0, where it
 *		serves
 *
 * Page: HP-UX profil(2).
 */
extern int profil_hpux(unsigned short *buff, size_t bufsiz, size_t offset,
		       unsigned int scale) PROFIL_THROW;

struct profil_hpux_prof {
	void *pr_base;		/* counters, aligned to their width */
	unsigned int pr_size;	/* bytes, a multiple of their width */
	void *pr_offset;	/* lowest pc that is counted */
	unsigned int pr_scale;	/* as scale of profil(), but 1 is a scale */
};

#if !defined(__GLIBC__)
enum { PROF_USHORT = 0, PROF_UINT = 1 };
#endif

#define PROF_UINT64	4

/*
 * sprofil - start, replace or end a profile of several regions
 *
 * profp	regions by ascending pr_offset.  One with pr_offset 0 and pr_scale
 *		2 is the overflow bin, which has the last place and a single
 *		counter: it takes every pc that no other region took
 * profcnt	how many; 0 ends the profile
 * tvp		NULL, or where the time between two samples is written, in
 *		seconds and microseconds
 * flags	PROF_USHORT, PROF_UINT or PROF_UINT64: 16, 32 or 64 bits a
 *		counter, all regions alike
 *
 * A pc in more than one region counts in that with the largest pr_offset, on a
 * tie in the first.  Full counters stay full.
 *
 * Returns 0, or -1 and errno:
 *	E2BIG	profcnt negative, or above sysconf(_SC_PROFIL_MAX)
 *	EFAULT	profp or tvp is no memory, and nothing has changed; or a buffer
 *		is not, whole, writable memory, and no profile is on
 *	EINVAL	flags, order or a misplaced overflow bin; pr_size 0, above
 *		pr_scale << 30 or no multiple of the width; pr_scale above
 *		0x20000; pr_base not aligned; nothing has changed
 *	ENOMEM, ENODEV, EBUSY, EOPNOTSUPP  as profil(), and the last for
 *		counters that the backend in use does not have
 *
 * Page: HP-UX sprofil(2).
 */
extern int profil_hpux_sprofil(struct profil_hpux_prof *profp, int profcnt,
			       struct timeval *tvp, unsigned int flags)
	PROFIL_THROW;

/*
 * sysconf - as the C library's, and _SC_PROFIL_MAX
 *
 * For that name it returns how many regions sprofil() takes, 0 without a
 * backend; never fails.  For all others the C library answers, errno included.
 *
 * Page: HP-UX sprofil(2).
 */
#define _SC_PROFIL_MAX	0x5052

extern long profil_hpux_sysconf(int name) PROFIL_THROW;

#define profil	profil_hpux
#define sprofil	profil_hpux_sprofil
#define prof	profil_hpux_prof
#define sysconf	profil_hpux_sysconf

#endif /* PROFIL_HPUX_H */
