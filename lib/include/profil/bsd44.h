/* SPDX-License-Identifier: MIT */
/* profil() of 4.4BSD, NetBSD and XNU.  Included by <profil.h>. */
#ifndef PROFIL_BSD44_H
#define PROFIL_BSD44_H

/*
 * profil - start, replace or end the profile of this process
 *
 * samples	16-bit counters, aligned to 2
 * size		bytes; an odd one at the end is ignored, and with less than 2
 *		the profile ends
 * offset	lowest pc that is counted
 * scale	bytes of buffer for 65536 bytes of text, 1 to 0x10000: 0x10000 is
 *		a counter for 2 bytes of text, 0x8000 for 4; 0 ends the profile
 *
 * Returns 0, or -1 and errno:
 *	EFAULT	samples is not, whole, writable memory; no profile is on
 *	EINVAL	scale above 0x10000, samples not aligned; nothing has changed
 *	ENOMEM	no memory, or RLIMIT_MEMLOCK would be passed
 *	ENODEV	PROFIL_BACKEND=kernel, and there is no usable /dev/profil
 *	EBUSY	kernel.ftrace_enabled is 0, and the C library does not take over
 *	EOPNOTSUPP  a buffer in a shared mapping of a file on disk, where the C
 *		library does not take over
 *
 * Page: NetBSD profil(2).
 */
extern int profil_bsd44(char *samples, size_t size, unsigned long offset,
			unsigned int scale) PROFIL_THROW;

#define profil	profil_bsd44

#endif /* PROFIL_BSD44_H */
