/* SPDX-License-Identifier: MIT */
/* The call tree of a report, for people and for other programs. */
#ifndef PROFIL_CALLS_OUT_H
#define PROFIL_CALLS_OUT_H

#include "calls.h"
#include "rows_out.h"

/* percent is what was folded, as the user gave it. */
void calls_table(const struct report *report, const struct frames *f,
		 const struct calls *calls, double percent);
void calls_csv(const struct report *report, const struct frames *f,
	       const struct calls *calls);
void calls_json(const struct report *report, const struct frames *f,
		const struct calls *calls);

#endif /* PROFIL_CALLS_OUT_H */
