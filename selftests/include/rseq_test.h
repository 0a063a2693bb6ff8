/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rseq off, before the allocations of a test fail.
 */
#ifndef PROFIL_RSEQ_TEST_H
#define PROFIL_RSEQ_TEST_H

#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * On its way back to a thread the kernel writes there, and if it has no memory
 * to copy the page, after a fork, the process is killed.  A thread's own.
 */
static inline void no_rseq(void)
{
	if (__rseq_size)
		syscall(SYS_rseq, (char *)__builtin_thread_pointer() +
				  __rseq_offset, 32, RSEQ_FLAG_UNREGISTER,
			RSEQ_SIG);
}

#endif /* PROFIL_RSEQ_TEST_H */
