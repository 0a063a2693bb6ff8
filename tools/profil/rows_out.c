// SPDX-License-Identifier: MIT
/* The rows of a report for other programs: CSV and JSON. */
#include <inttypes.h>
#include <stdlib.h>

#include "path.h"
#include "rows_out.h"
#include "util.h"

void csv_field(const char *text)
{
	char *safe = text_safe(text), *at;

	putchar('"');
	for (at = safe; *at; at++) {
		if (*at == '"')
			putchar('"');
		putchar(*at);
	}
	putchar('"');
	free(safe);
}

void report_csv(const struct report *report)
{
	const bool times = report->by >= BY_THREAD;
	const struct row *row;
	size_t i;

	printf("self,total,self_percent,total_percent,name,object,file,line,offset,id");
	puts(times ? ",cpu_ns,wait_ns,wait_read_ns" : "");
	for (i = 0; i < report->limit; i++) {
		double all = report->rows.samples ? report->rows.samples : 1;

		row = &report->rows.list[i];
		printf("%" PRIu64 ",%" PRIu64 ",%.3f,%.3f,", row->self,
		       row->total, 100 * row->self / all,
		       100 * row->total / all);
		csv_field(row->name);
		putchar(',');
		csv_field(row->object);
		putchar(',');
		csv_field(row->file);
		printf(",%" PRId64 ",%#" PRIx64 ",%" PRId64, row->line,
		       row->address, row->id);
		if (times)
			printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			       row->cpu_ns, row->wait_ns, row->read_ns);
		putchar('\n');
	}
}

void json_string(FILE *out, const char *text)
{
	char *safe = text_safe(text), *at;

	fputc('"', out);
	for (at = safe; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', out);
		/* "</script>" must not end the element that this is in. */
		if (*at == '<')
			fputs("\\u003c", out);
		else
			fputc(*at, out);
	}
	fputc('"', out);
	free(safe);
}

static void json_paths(const struct model *m)
{
	uint64_t samples[NR_PATH_ENDS] = { 0 };
	const char *before = "";
	size_t i;

	for (i = 0; i < m->nr_samples; i++)
		samples[sample_path_end(&m->samples[i])] += m->samples[i].count;
	printf("\"paths\":{");
	for (i = PATH_WHOLE; i < NR_PATH_ENDS; i++) {
		if (!samples[i])
			continue;
		printf("%s\"%s\":%" PRIu64, before, path_end_names[i],
		       samples[i]);
		before = ",";
	}
	puts("},");
}

static void json_books(const struct books *b)
{
	printf("\"wall_ns\":%" PRIu64 ",\"cpu_ns\":%" PRIu64 ",\n",
	       b->wall_ns, b->cpu_ns);
	printf("\"books\":{\"seen\":%" PRIu64 ",\"counted\":%" PRIu64
	       ",\"unplaced\":%" PRIu64 ",\"refused\":%" PRIu64
	       ",\"lost\":%" PRIu64 ",\"left\":%" PRIu64
	       ",\"not_followed\":%" PRIu64 ",\"off\":%" PRIu64 "},\n",
	       b->seen, b->counted, b->unplaced, b->refused, b->lost, b->left,
	       b->not_followed, b->off);
	if (b->off_wall_ns)
		printf("\"off_wall_ns\":%" PRIu64 ",\"off_cpu_ns\":%" PRIu64
		       ",\n", b->off_wall_ns, b->off_cpu_ns);
}

void json_only(const char *only)
{
	if (!*only)
		return;
	printf("\"only\":");
	json_string(stdout, only);
	putchar(',');
}

void json_begin(const struct model *m)
{
	printf("{\"command\":");
	json_string(stdout, m->command);
	printf(",\"time_ns\":%" PRId64 ",\"duration_ns\":%" PRId64
	       ",\"rate\":%" PRIu64 ",", m->time_ns, m->duration_ns, m->rate);
	json_only(m->only);
	/* A 0 would say that nothing was lost. */
	if (model_lacks_books(m))
		puts("\"wall_ns\":null,\"cpu_ns\":null,\"books\":null,");
	else
		json_books(&m->books);
	if (model_has_paths(m))
		json_paths(m);
}

void report_json(const struct report *report)
{
	const bool times = report->by >= BY_THREAD;
	const struct row *row;
	size_t i;

	json_begin(report->m);
	printf("\"samples\":%" PRIu64 ",\"in_system_calls\":%" PRIu64
	       ",\"in_faults\":%" PRIu64 ",\"by\":\"%s\",\"rows\":[",
	       report->rows.samples, report->rows.kernel[0],
	       report->rows.kernel[1], by_names[report->by]);
	for (i = 0; i < report->limit; i++) {
		row = &report->rows.list[i];
		printf("%s\n{\"self\":%" PRIu64 ",\"total\":%" PRIu64
		       ",\"name\":", i ? "," : "", row->self, row->total);
		json_string(stdout, row->name);
		printf(",\"object\":");
		json_string(stdout, row->object);
		printf(",\"file\":");
		json_string(stdout, row->file);
		printf(",\"line\":%" PRId64 ",\"offset\":%" PRIu64
		       ",\"id\":%" PRId64, row->line, row->address,
		       row->id);
		if (times)
			printf(",\"cpu_ns\":%" PRIu64 ",\"wait_ns\":%" PRIu64
			       ",\"wait_read_ns\":%" PRIu64, row->cpu_ns,
			       row->wait_ns, row->read_ns);
		putchar('}');
	}
	puts("\n]}");
}
