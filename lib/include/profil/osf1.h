/* SPDX-License-Identifier: MIT */
/* profil() of OSF/1 and Tru64, in its two forms.  Included by <profil.h>. */
#ifndef PROFIL_OSF1_H
#define PROFIL_OSF1_H

/*
 * A range of text, for profil(args, number, -1, 0).
 *
 * A pc from lowpc up to, not including, highpc, and not below offset, counts in
 * the counter that byte (pc - offset) * scale / 65536 of buffer, rounded down
 * to 4, begins.  So the buffer need have, and the kernel touches, only what is
 * between the counters of the lowest and of the highest such pc.
 */
struct profil_args {
	unsigned int *buffer;	/* 32-bit counters, aligned to 4 */
	void *highpc;		/* end of the range: first pc after it */
	void *lowpc;		/* lowest pc of the range */
	void *offset;		/* pc of the buffer's first counter */
	unsigned int scale;	/* as of profil(); 0 and 1: this range is off */
};

/*
 * profil - start, replace or end the profile of this process
 *
 *	void profil(unsigned short *short_buffer, unsigned int buffer_size,
 *		    void *offset, unsigned int scale);
 *
 * short_buffer	16-bit counters, aligned to 2
 * buffer_size	bytes; an odd one at the end is ignored, and with less than 2
 *		the profile ends
 * offset	lowest pc that is counted; not -1
 * scale	bytes of buffer for 65536 bytes of text, at most 0x10000: 0x10000
 *		is a counter for 2 bytes of text, 0x8000 for 4; 2 counts every
 *		pc from offset on in the first counter; 0 and 1 end the profile
 *
 *	void profil(struct profil_args *args, int buffer_size, -1,
 *		    unsigned long flags);
 *
 * args		ranges by decreasing lowpc, which do not overlap
 * buffer_size	how many: at most 64; 0 ends the profile
 * flags	0
 *
 * Either form replaces the other; profil(0, 0, 0, 0) ends both.  A buffer that
 * is not, whole, writable memory ends the profile, or is that range alone off.
 * The call returns nothing; errno (on OSF/1 untouched) is left alone by
 * success and says of a failure:
 *	EFAULT	a buffer is not writable memory: as above; or args is no memory:
 *		nothing has changed
 *	EINVAL	scale above 0x10000; a buffer not aligned; order, overlap, more
 *		than 64 ranges, highpc below lowpc, flags; nothing has changed
 *	E2BIG	more text under scale 2 than the kernel has regions for: a range
 *		takes one for every 256 KiB
 *	ENOMEM	no memory, or RLIMIT_MEMLOCK would be passed
 *	ENODEV	PROFIL_BACKEND=kernel, and there is no usable /dev/profil
 *	EBUSY	kernel.ftrace_enabled is 0, and the C library does not take over
 *	EOPNOTSUPP  a buffer in a shared mapping of a file on disk, where the C
 *		library does not take over; scale 2, or ranges, where it
 *		serves
 *
 * Page: Tru64 profil(2).
 */
extern void profil_osf1(void *buffer, unsigned int buffer_size, void *offset,
			unsigned long scale) PROFIL_THROW;

/*
 * profil_thread - profil() for the calling thread alone
 *
 * Both forms, with the same arguments and errors; returns nothing.  This profile
 * takes the place of the process's for the thread, and ends with it or with
 * profil_thread(0, 0, 0, 0).  (Ours: the page lets threads be profiled by
 * different forms at the same time, and names no call for it.)
 *	EOPNOTSUPP  where the C library serves
 *	ENOMEM	also for a huge page, which counts whole for a thread
 */
extern void profil_osf1_thread(void *buffer, unsigned int buffer_size,
			       void *offset, unsigned long scale) PROFIL_THROW;

/*
 * Calls as the page shows them pass either kind of pointer, -1, and 0.  The
 * names are mapped apart from the casts, so that they still have an address.
 */
#define profil_osf1(buffer, buffer_size, offset, scale)			\
	profil_osf1((void *)(buffer), (unsigned int)(buffer_size),	\
		    (void *)(unsigned long)(offset), (unsigned long)(scale))
#define profil_osf1_thread(buffer, buffer_size, offset, scale)		\
	profil_osf1_thread((void *)(buffer), (unsigned int)(buffer_size), \
			   (void *)(unsigned long)(offset),		\
			   (unsigned long)(scale))

#define profil		profil_osf1
#define profil_thread	profil_osf1_thread

#endif /* PROFIL_OSF1_H */
