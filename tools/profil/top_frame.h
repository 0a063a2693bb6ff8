/* SPDX-License-Identifier: MIT */
/* One frame of top: the table of an interval as text. */
#ifndef PROFIL_TOP_FRAME_H
#define PROFIL_TOP_FRAME_H

#include "head.h"
#include "rows.h"

/* What of an interval is shown, and how. */
struct top_view {
	const char *title;	/* what is watched */
	const char *state;	/* a line about it, or NULL */
	enum by by;
	bool total_first;
	uint32_t processes;
	double seconds;
	struct books books;	/* of the interval */
	size_t rows;		/* of the table, at most */
	struct terminal terminal;
};

#define TOP_FRAME_LINES	6	/* that are no rows of the table; one stays free */

/* Allocated lines, each as wide as the terminal at most. */
char *top_frame(struct model *m, const struct top_view *view);

#endif /* PROFIL_TOP_FRAME_H */
