/* SPDX-License-Identifier: MIT */
/* profil() and sprofil() of the GNU C library.  Included by <profil.h>. */
#ifndef PROFIL_GLIBC_H
#define PROFIL_GLIBC_H

/*
 * profil - start, replace or end the profile of this process
 *
 * buf		16-bit counters, aligned to 2; NULL ends the profile
 * bufsiz	bytes; an odd one at the end is ignored
 * offset	lowest pc that is counted
 * scale	bytes of buffer for 65536 bytes of text: 0x10000 is a counter
 *		for 2 bytes of text, 0x8000 for 4; 0 ends the profile; at most
 *		0x20000
 *
 * Returns 0, or -1 and errno:
 *	EINVAL	scale above 0x20000, buf not aligned; nothing has changed
 *	EFAULT	buf is not, whole, writable memory; no profile is on
 *	ENOMEM	no memory, or RLIMIT_MEMLOCK would be passed
 *	ENODEV	PROFIL_BACKEND=kernel, and there is no usable /dev/profil
 *	EBUSY	kernel.ftrace_enabled is 0, and the C library does not take over
 *	EOPNOTSUPP  a buffer in a shared mapping of a file on disk, where the C
 *		library does not take over
 *
 * Page: Linux profil(3).
 */
extern int profil(unsigned short *buf, size_t bufsiz, size_t offset,
		  unsigned int scale) PROFIL_THROW;

#if !defined(__GLIBC__)
struct prof {
	void *pr_base;		/* counters */
	size_t pr_size;		/* bytes */
	size_t pr_off;		/* lowest pc */
	unsigned long pr_scale;	/* as scale of profil() */
};

enum { PROF_USHORT = 0, PROF_UINT = 1, PROF_FAST = 2 };
#endif

#define PROF_UINT64	4	/* 64-bit counters: not in <sys/profil.h> */

/*
 * sprofil - start, replace or end a profile of several regions
 *
 * profp, profcnt	the regions, in any order; 0 of them ends the profile
 * tvp		NULL, or where the time between two samples is written, in
 *		seconds and microseconds
 * flags	PROF_USHORT, PROF_UINT or PROF_UINT64: 16, 32 or 64 bits a
 *		counter, all regions alike; PROF_FAST changes nothing
 *
 * A pc in more than one region counts in that with the largest pr_off, on a
 * tie in the first.  A region with pr_off 0 and pr_scale 2 is the overflow
 * bin: its first counter takes every pc that no other region took.
 *
 * Returns 0, or -1 and errno as profil(), and:
 *	EINVAL	profcnt negative, unknown flags
 *	E2BIG	more regions than the kernel takes
 *	EOPNOTSUPP  more regions, or other counters, than the backend in use has
 *
 * Page: IRIX 6.5 sprofil(2) as in glibc's <sys/profil.h>.
 */
extern int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
		   unsigned int flags) PROFIL_THROW;

#endif /* PROFIL_GLIBC_H */
