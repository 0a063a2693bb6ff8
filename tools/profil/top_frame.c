// SPDX-License-Identifier: MIT
/* The text of a frame, from the samples of its interval. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rows_out.h"
#include "top_frame.h"
#include "util.h"

#define OBJECT_MAX	16	/* columns */
#define NAME_MIN	8
#define NARROW		60	/* there is no room for an object */

/* A line, cut to the terminal. */
static void put_line(FILE *out, const struct top_view *view, char *line)
{
	print_cut(out, line, view->terminal.width);
	fputc('\n', out);
	free(line);
}

/* Samples that are in no row, by why not. */
static void put_missed(FILE *out, const struct books *books)
{
	const struct reason {
		uint64_t nr;
		const char *what;
	} list[] = {
		{ books->lost, "lost" }, { books->unplaced, "unplaced" },
		{ books->refused, "refused" },
	};
	const char *before = "; not seen: ";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++) {
		if (!list[i].nr)
			continue;
		fprintf(out, "%s%" PRIu64 " %s", before, list[i].nr,
			list[i].what);
		before = ", ";
	}
}

static char *kernel_text(const struct top_view *view, const struct rows *rows)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(STATUS_USAGE, "out of memory");
	fprintf(out, "in system calls: %.1f %%, in faults and interrupts: %.1f %%",
		100 * share_of(rows->kernel[0], rows->samples),
		100 * share_of(rows->kernel[1], rows->samples));
	put_missed(out, &view->books);
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return text;
}

static void put_head(FILE *out, const struct top_view *view,
		     const struct rows *rows)
{
	const struct books *books = &view->books;

	put_line(out, view,
		 xasprintf("%s: %" PRIu64 " samples in %.1f s, %.2f CPUs, %u process%s",
			   view->title, rows->samples, view->seconds,
			   view->seconds > 0 ?
			   (double)books->cpu_ns / 1e9 / view->seconds : 0,
			   view->processes,
			   view->processes == 1 ? "" : "es"));
	put_line(out, view, kernel_text(view, rows));
	if (view->state)
		put_line(out, view, xstrdup(view->state));
}

static const char *object_of(const struct top_view *view, const struct row *row)
{
	return view->by < BY_OBJECT ? base_name(row->object) : "";
}

/* Of an object's column; 0: there is no such column. */
static size_t object_width(const struct top_view *view)
{
	unsigned int width = view->terminal.width;

	return view->by >= BY_OBJECT || (width && width < NARROW) ? 0 :
	       OBJECT_MAX;
}

static void put_row(FILE *out, const struct top_view *view,
		    const struct row *row, uint64_t samples)
{
	const struct terminal *terminal = &view->terminal;
	size_t width = object_width(view), used = 8 + 1 + 9 + 2;
	double self = share_of(row->self, samples);
	char *text = row_text(row, view->by);

	fprintf(out, "%s%6.1f %%%s ", heat_begin(terminal, self), 100 * self,
		heat_end(terminal, self));
	if (view->by < BY_OBJECT) {
		fprintf(out, "%6.1f %% ", 100 * share_of(row->total, samples));
		used += 8 + 1;
	}
	fprintf(out, "%9" PRIu64 "  ", row->self);
	if (width) {
		char *object = text_safe(object_of(view, row));
		size_t length = strlen(object);

		print_cut(out, object, width);
		fprintf(out, "%*s", (int)(length < width ? width - length :
						     0) + 2, "");
		used += width + 2;
		free(object);
	}
	print_name(out, text, !terminal->width ? 0 :
		   terminal->width > used + NAME_MIN ? terminal->width - used :
						       NAME_MIN);
	fputc('\n', out);
	free(text);
}

static void put_table(FILE *out, const struct top_view *view,
		      const struct rows *rows)
{
	size_t nr = rows->nr < view->rows ? rows->nr : view->rows, i;
	size_t width = object_width(view);
	uint64_t rest = 0;
	char *object = width ? xasprintf("%-*s  ", (int)width, "object") :
			       xstrdup("");

	put_line(out, view, xasprintf("%8s %s%9s  %s%s", "self",
				      view->by < BY_OBJECT ? "   total " : "",
				      "samples",
				      object, by_names[view->by]));
	for (i = 0; i < nr; i++)
		put_row(out, view, &rows->list[i], rows->samples);
	for (; i < rows->nr; i++)
		rest += rows->list[i].self;
	if (nr < rows->nr && !view->terminal.is_terminal)
		fprintf(out, "%zu more rows with %" PRIu64 " samples\n",
			rows->nr - nr, rest);
	free(object);
}

char *top_frame(struct model *m, const struct top_view *view)
{
	struct rows rows = rows_make(m, view->by);
	char *text = NULL;
	size_t size;
	FILE *out;

	if (view->total_first)
		rows_sort(&rows, true);
	out = open_memstream(&text, &size);
	if (!out)
		die(STATUS_USAGE, "out of memory");
	put_head(out, view, &rows);
	fputc('\n', out);
	put_table(out, view, &rows);
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	rows_free(&rows);
	return text;
}
