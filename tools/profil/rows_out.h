/* SPDX-License-Identifier: MIT */
/* The rows of a report, as a table, as CSV and as JSON. */
#ifndef PROFIL_ROWS_OUT_H
#define PROFIL_ROWS_OUT_H

#include <time.h>

#include "head.h"
#include "rows.h"

struct report {
	struct model *m;
	time_t written;
	enum by by;
	const char *heads[2];	/* over the shares of self and of total */
	uint64_t of[2];		/* samples that are 100 % there */
	const char *what;	/* over the names */
	char *about;		/* a line before the table, or NULL */
	struct rows rows;
	bool looked;		/* for names, so that what lacks one is told */
	size_t limit;		/* rows to print, at most rows.nr */
	struct terminal terminal;
};

static inline double share_of(uint64_t part, uint64_t all)
{
	return all ? (double)part / all : 0;
}

/* What stands above a table: the head, and report->about. */
void report_head(const struct report *report);
void report_table(const struct report *report);
void report_csv(const struct report *report);
void report_json(const struct report *report);

/* A field between quotes. */
void csv_field(const char *text);
/* The begin of a JSON object: what ran, and the books. */
void json_begin(const struct model *m);
/* Prints the key "only" and a comma, unless the text is empty. */
void json_only(const char *only);
/* A JSON string of any text; bytes that are not UTF-8 become \xNN. */
void json_string(FILE *out, const char *text);

#endif /* PROFIL_ROWS_OUT_H */
