/* SPDX-License-Identifier: MIT */
/* The profile of the run-time that gcc -pg programs call, and its histogram. */
#ifndef LIBPROFIL_GMON_H
#define LIBPROFIL_GMON_H

#include <signal.h>

#include "block.h"
#include "internal.h"

/* Bytes of text a bin, as the C library has it. */
#define PROFIL_BIN_TEXT		4
#define PROFIL_BIN_TEXT_MAX	1024	/* the coarsest bins */
/* Coarser ones are told of: most functions begin at a multiple of this. */
#define PROFIL_BIN_TEXT_TOLD	16

/* hist.c: set and finest round the text up to whole bins. */
HIDDEN unsigned int profil_gmon_finest(const struct profil_gmon *gmon);
HIDDEN void profil_gmon_bins_set(struct profil_gmon *gmon,
				 unsigned int bin_text, unsigned int width);
HIDDEN void profil_gmon_bins_finest(struct profil_gmon *gmon);
HIDDEN struct profil_region profil_gmon_region(const struct profil_gmon *gmon);

/* gmon.c: the last one that was published; NULL before monstartup(). */
HIDDEN struct profil_gmon *profil_gmon_now(void);
HIDDEN bool profil_gmon_is_on(void);
HIDDEN void profil_gmon_publish(struct profil_gmon *gmon);
/* For text from low to high; NULL: errno. */
HIDDEN struct profil_gmon *profil_gmon_alloc(uintptr_t low, uintptr_t high,
					     struct profil_wide *wide);
/* Returns the profile that unlock takes; NULL: there is no profile, no lock. */
HIDDEN struct profil_gmon *profil_gmon_lock(struct profil_blocked *old);
HIDDEN void profil_gmon_unlock(const struct profil_gmon *gmon,
			       const struct profil_blocked *old);

#endif /* LIBPROFIL_GMON_H */
