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
	struct rows rows;
	size_t limit;		/* rows to print, at most rows.nr */
	struct terminal terminal;
};

void report_table(const struct report *report);
void report_csv(const struct report *report);
void report_json(const struct report *report);

/* A JSON string of any text; bytes that are not UTF-8 become \xNN. */
void json_string(FILE *out, const char *text);

#endif /* PROFIL_ROWS_OUT_H */
