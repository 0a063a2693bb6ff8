// SPDX-License-Identifier: MIT
/* The rows of a report as a table for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nameless.h"
#include "rows_out.h"
#include "util.h"

#define BAR	10

static const char *row_object(const struct report *report,
			      const struct row *row)
{
	return report->by < BY_OBJECT ? base_name(row->object) : "";
}

static void print_bar(double part)
{
	int i, full = part * BAR + 0.5;

	for (i = 0; i < BAR; i++)
		putchar(i < full ? '#' : ' ');
	fputs("  ", stdout);
}

/* Threads are in no other's total; they have times instead. */
static bool has_total(const struct report *report)
{
	return report->by < BY_PROCESS;
}

static bool has_times(const struct report *report)
{
	return report->by >= BY_THREAD && report->m->nr_threads;
}

#define TIME	9	/* columns */

/* A queueing time that was read before most CPU time was used was longer. */
static void print_times(const struct row *row)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%.2f s", row->read_ns <
		 row->cpu_ns - row->cpu_ns / 20 ? ">" : "",
		 row->wait_ns / 1e9);
	printf("%*.2f s %*s", TIME - 2, row->cpu_ns / 1e9, TIME,
	       row->read_ns ? text : "-");
	fputs("  ", stdout);
}

static void print_row(const struct report *report, const struct row *row,
		      size_t object_width)
{
	const struct terminal *terminal = &report->terminal;
	double self = share_of(row->self, report->of[0]);
	char *text = row_text(row, report->by);
	size_t used, width;

	printf("%s%6.1f %%%s ", heat_begin(terminal, self), 100 * self,
	       heat_end(terminal, self));
	used = 8 + 1 + 9 + 2;
	if (has_total(report)) {
		printf("%6.1f %% ", 100 * share_of(row->total, report->of[1]));
		used += 8 + 1;
	}
	printf("%9" PRIu64 "  ", row->self);
	if (has_times(report)) {
		print_times(row);
		used += 2 * TIME + 3;
	}
	if (terminal->is_terminal) {
		print_bar(self);
		used += BAR + 2;
	}
	if (object_width) {
		const char *object = row_object(report, row);
		char *safe = text_safe(object);

		print_cut(stdout, object, object_width);
		width = text_columns(safe);
		printf("%*s", (int)(width < object_width ?
				    object_width - width : 0) + 2, "");
		free(safe);
		used += object_width + 2;
	}
	print_name(stdout, text, !terminal->width ? 0 :
		   terminal->width > used + 8 ? terminal->width - used : 8);
	putchar('\n');
	free(text);
}

static size_t widest_object(const struct report *report)
{
	size_t i, width = 0, most = report->terminal.width > 100 ? 24 : 16;

	for (i = 0; i < report->limit; i++) {
		char *safe = text_safe(row_object(report,
						  &report->rows.list[i]));

		if (text_columns(safe) > width)
			width = text_columns(safe);
		free(safe);
	}
	if (width && width < strlen("object"))
		width = strlen("object");
	return report->terminal.width && width > most ? most : width;
}

static void print_kernel(const struct report *report)
{
	const struct rows *rows = &report->rows;

	if (rows->kernel[0])
		printf("in system calls: %.1f %%\n",
		       100 * share_of(rows->kernel[0], rows->samples));
	if (rows->kernel[1])
		printf("in page faults and interrupts: %.1f %%\n",
		       100 * share_of(rows->kernel[1], rows->samples));
}

void report_head(const struct report *report)
{
	char *head = head_text(report->m, report->written, true);

	fputs(head, stdout);
	free(head);
	print_kernel(report);
	if (report->looked)
		nameless_print(stdout, report->m);
	if (report->about) {
		text_print(stdout, report->about);
		putchar('\n');
	}
}

void report_table(const struct report *report)
{
	size_t width = widest_object(report), i;
	uint64_t rest = 0;

	report_head(report);
	printf("\n%8s ", report->heads[0]);
	if (has_total(report))
		printf("%8s ", report->heads[1]);
	printf("%9s  ", "samples");
	if (has_times(report))
		printf("%*s %*s  ", TIME, "cpu", TIME, "queued");
	if (report->terminal.is_terminal)
		printf("%*s", BAR + 2, "");
	if (width)
		printf("%-*s  ", (int)width, "object");
	puts(report->what);
	for (i = 0; i < report->limit; i++)
		print_row(report, &report->rows.list[i], width);
	for (; i < report->rows.nr; i++)
		rest += report->rows.list[i].self;
	if (report->limit < report->rows.nr)
		printf("%zu more rows with %.1f %% are shown by -n 0\n",
		       report->rows.nr - report->limit,
		       100 * share_of(rest, report->of[0]));
}
