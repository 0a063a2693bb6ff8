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
 * On return to a thread the kernel writes to its rseq area.  After a fork that
 * copies a page; if the allocation fails, the process is killed.  Per thread.
 */
static inline void no_rseq(void)
{
	if (__rseq_size)
		syscall(SYS_rseq, (char *)__builtin_thread_pointer() +
				  __rseq_offset, 32, RSEQ_FLAG_UNREGISTER,
			RSEQ_SIG);
}

#endif /* PROFIL_RSEQ_TEST_H */
