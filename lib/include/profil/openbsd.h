/* SPDX-License-Identifier: MIT */
/* profil() of OpenBSD, and its note.  Included by <profil.h>. */
#ifndef PROFIL_OPENBSD_H
#define PROFIL_OPENBSD_H

/*
 * profil - start, replace or pause the profile of this process, and have the
 * kernel write it to gmon.<comm>.<pid>.out when the process ends
 *
 * buf		a struct gmonhdr, the counters, and room for arcs
 * buflen	bytes of all three
 * samplesize	bytes of 16-bit counters, which begin behind the header
 * offset	lowest pc that is counted
 * scale	bytes of counters for 65536 bytes of text, at most 0x10000; 0
 *		pauses
 * dirfd	where the file goes; -1 is the directory now
 *
 * The first call decides about the directory, and about the credentials with
 * which the file is written.  At the end of the process, totarc of the header
 * says how many bytes of arcs there are: 0 or less, or more than there is room
 * for, and nothing is written.
 *
 * Returns 0, or -1 and errno, of these in this order; nothing has changed then:
 *	EPERM		the program carries no profiling note
 *	EINVAL		scale above 0x10000; samplesize of no counter, or too
 *			large for buflen; buf not aligned to 4
 *	EALREADY	a call with another buf or buflen was made before
 *	EBADF		dirfd is no descriptor, and not -1
 *	ENOTDIR		dirfd is no directory
 *	EFAULT		buf is not writable memory; if it can't be read, this
 *			comes before EALREADY
 *	ENOMEM		no memory, or RLIMIT_MEMLOCK would be passed
 *	EOPNOTSUPP	the C library takes the samples: it writes no files; the
 *			module was loaded with dump=0; or buf is not private memory
 *	ENODEV		there is no usable /dev/profil
 *	EBUSY		kernel.ftrace_enabled is 0
 *
 * Page: OpenBSD 7.8 profil(2).
 */
struct gmonhdr {
	unsigned long lpc;	/* lowest pc of the counters */
	unsigned long hpc;	/* the pc behind the highest */
	int ncnt;		/* bytes of header and counters */
	int version;		/* GMONVERSION */
	int profrate;		/* ticks a second */
	int totarc;		/* bytes of arcs: complete, if above 0 */
	int spare[2];
};

#define GMONVERSION	0x00051879

extern int profil_openbsd(void *buf, size_t buflen, size_t samplesize,
			  unsigned long offset, unsigned int scale,
			  int dirfd) PROFIL_THROW;
#undef profil
#define profil	profil_openbsd

/*
 * The profiling note: PROFIL_NOTE_NAME and PROFIL_NOTE_TYPE of
 * <profil/ioctl.h>, with no contents.
 */
#if !defined(PROFIL_NO_NOTE)
__asm__(".pushsection .note.profil, \"a\", %note\n"
	"\t.balign 4\n"
	"\t.long 7, 0, 1\n"
	"\t.asciz \"profil\"\n"
	"\t.balign 4\n"
	"\t.popsection\n");
#endif

#endif /* PROFIL_OPENBSD_H */
