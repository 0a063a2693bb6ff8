// SPDX-License-Identifier: MIT
/* The callers and callees of a function for other programs: CSV and JSON. */
#include <inttypes.h>

#include "edges_out.h"

void edges_csv(const struct report *report)
{
	const struct row *row;
	size_t i;

	puts("samples,of_it_percent,of_all_percent,name,object");
	for (i = 0; i < report->limit; i++) {
		row = &report->rows.list[i];
		printf("%" PRIu64 ",%.3f,%.3f,", row->self,
		       100 * share_of(row->self, report->of[0]),
		       100 * share_of(row->self, report->of[1]));
		csv_field(row->name);
		putchar(',');
		csv_field(row->object);
		putchar('\n');
	}
}

void edges_json(const struct report *report, const struct edges *edges)
{
	const struct row *row;
	size_t i;

	json_begin(report->m);
	printf("\"samples\":%" PRIu64 ",\"function\":", report->of[1]);
	json_string(stdout, edges->function->name);
	printf(",\"object\":");
	json_string(stdout, edges->function->object);
	printf(",\"self\":%" PRIu64 ",\"total\":%" PRIu64 ",\"%ss\":[",
	       edges->self, edges->total, report->what);
	for (i = 0; i < report->limit; i++) {
		row = &report->rows.list[i];
		printf("%s\n{\"samples\":%" PRIu64 ",\"name\":", i ? "," : "",
		       row->self);
		json_string(stdout, row->name);
		printf(",\"object\":");
		json_string(stdout, row->object);
		putchar('}');
	}
	puts("\n]}");
}
