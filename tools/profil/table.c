// SPDX-License-Identifier: MIT
/* The rows of a report as a table for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rows_out.h"
#include "util.h"

#define BAR	10

/* Allocated: what the row is of. */
static char *row_text(const struct row *row, enum by by)
{
	switch (by) {
	case BY_LINE:
		if (row->line)
			return xasprintf("%s:%" PRId64 "  %s",
					 base_name(row->file), row->line,
					 row->name);
		break;
	case BY_INSTRUCTION:
		if (!row->address)
			break;
		if (row->line)
			return xasprintf("%#" PRIx64 "  %s  %s:%" PRId64,
					 row->address, row->name,
					 base_name(row->file), row->line);
		return xasprintf("%#" PRIx64 "  %s", row->address, row->name);
	case BY_PROCESS:
		return xasprintf("%s (%" PRId64 ")", row->name, row->id);
	case BY_THREAD:
		return xasprintf("%s (%" PRId64 ") of %s", row->name, row->id,
				 row->object);
	default:
		break;
	}
	return xstrdup(row->name);
}

static const char *row_object(const struct report *report,
			      const struct row *row)
{
	return report->by < BY_OBJECT ? base_name(row->object) : "";
}

static void print_bar(double share)
{
	int i, full = share * BAR + 0.5;

	for (i = 0; i < BAR; i++)
		putchar(i < full ? '#' : ' ');
	fputs("  ", stdout);
}

static void print_row(const struct report *report, const struct row *row,
		      size_t object_width)
{
	const struct terminal *terminal = &report->terminal;
	double all = report->rows.samples ? report->rows.samples : 1;
	double self = row->self / all;
	char *text = row_text(row, report->by);
	size_t used;

	printf("%s%6.1f %%%s %6.1f %% %9" PRIu64 "  ",
	       heat_begin(terminal, self), 100 * self,
	       heat_end(terminal, self), 100 * row->total / all, row->self);
	used = 8 + 1 + 8 + 1 + 9 + 2;
	if (terminal->is_terminal) {
		print_bar(self);
		used += BAR + 2;
	}
	if (object_width) {
		const char *object = row_object(report, row);
		char *safe = text_safe(object);

		print_cut(stdout, object, object_width);
		printf("%*s", (int)(strlen(safe) < object_width ?
				    object_width - strlen(safe) : 0) + 2, "");
		free(safe);
		used += object_width + 2;
	}
	print_cut(stdout, text, !terminal->width ? 0 :
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

		if (strlen(safe) > width)
			width = strlen(safe);
		free(safe);
	}
	if (width && width < strlen("object"))
		width = strlen("object");
	return report->terminal.width && width > most ? most : width;
}

static void print_kernel(const struct report *report)
{
	const struct rows *rows = &report->rows;
	double all = rows->samples ? rows->samples : 1;

	if (rows->kernel[0])
		printf("in system calls: %.1f %%\n",
		       100 * rows->kernel[0] / all);
	if (rows->kernel[1])
		printf("in page faults and interrupts: %.1f %%\n",
		       100 * rows->kernel[1] / all);
}

void report_table(const struct report *report)
{
	char *head = head_text(report->m, report->written);
	size_t width = widest_object(report), i;
	uint64_t rest = 0;

	fputs(head, stdout);
	free(head);
	print_kernel(report);
	printf("\n%8s %8s %9s  ", "self", "total", "samples");
	if (report->terminal.is_terminal)
		printf("%*s", BAR + 2, "");
	if (width)
		printf("%-*s  ", (int)width, "object");
	puts(by_names[report->by]);
	for (i = 0; i < report->limit; i++)
		print_row(report, &report->rows.list[i], width);
	for (; i < report->rows.nr; i++)
		rest += report->rows.list[i].self;
	if (report->limit < report->rows.nr)
		printf("%zu more rows with %.1f %% are shown by -n 0\n",
		       report->rows.nr - report->limit,
		       report->rows.samples ?
		       100.0 * rest / report->rows.samples : 0.0);
}
