/* SPDX-License-Identifier: MIT */
/*
 * Calls between any two objects: by full addresses while they are counted, by
 * link-time addresses where they outlive the place of an object.
 */
#ifndef LIBPROFIL_CALLS_H
#define LIBPROFIL_CALLS_H

#include "internal.h"

/* widearcs.c: take hands over, and sets to zero, the calls of an entry. */
#define PROFIL_WIDE_MAX	1048576u	/* entries */

HIDDEN struct profil_wide *profil_wide_alloc(void);
HIDDEN uint32_t profil_wide_used(const struct profil_wide *wide);
HIDDEN uint64_t profil_wide_take(struct profil_wide *wide, uint32_t entry);
HIDDEN uintptr_t profil_wide_from(const struct profil_wide *wide,
				  uint32_t entry);
HIDDEN uintptr_t profil_wide_self(const struct profil_wide *wide,
				  uint32_t entry);

/* A call was not counted for want of memory; retry: there may be some now. */
HIDDEN bool profil_wide_stuck(const struct profil_wide *wide);
HIDDEN void profil_wide_retry(struct profil_wide *wide);

/* kept.c: calls by link-time addresses, in a table that grows. */
struct profil_kept_call {
	uintptr_t from, self;
	uint64_t calls;		/* 0: free */
};

struct profil_kept {
	uint32_t mask;		/* slots - 1 */
	uint32_t *used;
	struct profil_kept_call *slots;
};

/* Returns 0, or -1 and errno; *kept may be NULL at first. */
HIDDEN int profil_kept_add(struct profil_kept **kept, uintptr_t from,
			   uintptr_t self, uint64_t calls);

HIDDEN void profil_kept_forget(struct profil_kept *kept);

#endif /* LIBPROFIL_CALLS_H */
