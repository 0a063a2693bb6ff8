// SPDX-License-Identifier: MIT
/*
 * The sources of the hottest functions, as the picture's data.
 *
 * A page is made to be shown to others, and a hostile program says itself which
 * files are its sources.  So a file is copied only if its name has the ending of a
 * language, and no directory above it is hidden.  Both hold for the path that the
 * program names, and for the file to which symbolic links lead.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "heat.h"
#include "rows.h"
#include "rows_out.h"
#include "util.h"

#define MAX_FUNCTIONS	100
#define MAX_LINES	60
#define MAX_TEXT	(256u << 10)	/* bytes of all lines */
#define AROUND		3		/* lines before and after the heat */
#define SHARE		200		/* a 200th of all samples */

/* Samples of a line of a function; the list has each function's together. */
struct warm {
	const char *name, *object, *file;	/* interned */
	int64_t line;
	uint64_t samples;
};

/* A function: a part of that list. */
struct hot {
	const struct warm *lines;
	size_t nr;
	uint64_t samples;
};

static int by_pointer(const char *a, const char *b)
{
	return (a > b) - (a < b);
}

static int by_function(const void *a, const void *b)
{
	const struct warm *x = a, *y = b;
	int order = by_pointer(x->name, y->name);

	if (!order)
		order = by_pointer(x->object, y->object);
	if (!order)
		order = by_pointer(x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool same_function(const struct warm *a, const struct warm *b)
{
	return a->name == b->name && a->object == b->object &&
	       a->file == b->file;
}

static int by_samples(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->lines->name, y->lines->name);
}

/* A part of the path begins with a dot, and is not "." or "..". */
static bool is_hidden(const char *path)
{
	for (; (path = strstr(path, "/.")); path += 2)
		if (path[2 + (path[2] == '.')] != '/')
			return true;
	return false;
}

static bool is_source(const char *path)
{
	static const char *const endings[] = {
		"S", "ada", "adb", "ads", "asm", "c", "c++", "cc", "cpp", "cu", "cxx",
		"d", "f", "f03", "f08", "f90", "f95", "go", "h", "h++", "hh",
		"hpp", "hxx", "i", "inc", "inl", "ipp", "l", "m", "ml", "mm",
		"nim", "pas", "re", "rs", "s", "swift", "tcc", "v", "vala",
		"y", "zig",
	};
	const char *dot = strrchr(path, '.');
	size_t i;

	if (!dot || *path != '/' || is_hidden(path))
		return false;
	for (i = 0; i < ARRAY_SIZE(endings); i++)
		if (!strcmp(dot + 1, endings[i]))
			return true;
	return false;
}

/* A symbolic link may lead to any file. */
static bool may_copy(const char *path)
{
	const char *real = source_real(path);

	return real && is_source(real);
}

static struct warm *collect_warm(const struct model *m, size_t *nr,
				 uint64_t *all)
{
	struct warm *list = NULL;
	size_t i;

	*nr = 0;
	*all = 0;
	for (i = 0; i < m->nr_samples; i++) {
		const struct sample *sample = &m->samples[i];
		const struct location *loc =
			&m->locations[sample->locations[0]];
		const struct function *function;

		*all += sample->count;
		if (!loc->nr_lines || loc->lines[0].line < 1 ||
		    sample_kernel(sample) >= 0)
			continue;
		function = &m->functions[loc->lines[0].function];
		if (!is_source(function->file))
			continue;
		list = xgrow(list, *nr, sizeof(*list));
		list[(*nr)++] = (struct warm){
			.name = function->name, .file = function->file,
			.object = m->mappings[loc->mapping].path,
			.line = loc->lines[0].line, .samples = sample->count,
		};
	}
	if (*nr)
		qsort(list, *nr, sizeof(*list), by_function);
	return list;
}

static struct hot *find_hot(const struct warm *list, size_t nr, uint64_t all,
			    size_t *nr_hot)
{
	struct hot *hot = NULL;
	size_t i, end;

	*nr_hot = 0;
	for (i = 0; i < nr; i = end) {
		struct hot one = { .lines = &list[i] };

		for (end = i; end < nr && same_function(&list[i], &list[end]);
		     end++)
			one.samples += list[end].samples;
		one.nr = end - i;
		if (one.samples * SHARE < all ||
		    !may_copy(list[i].file) ||
		    !source_line(list[i].file, list[i].line))
			continue;
		hot = xgrow(hot, *nr_hot, sizeof(*hot));
		hot[(*nr_hot)++] = one;
	}
	if (hot)
		qsort(hot, *nr_hot, sizeof(*hot), by_samples);
	if (*nr_hot > MAX_FUNCTIONS)
		*nr_hot = MAX_FUNCTIONS;
	return hot;
}

/* The first of those 60 lines that have the most samples. */
static int64_t first_line(const struct hot *hot)
{
	int64_t first = hot->lines[0].line;
	uint64_t sum = 0, most = 0;
	size_t i, from = 0;

	for (i = 0; i < hot->nr; i++) {
		sum += hot->lines[i].samples;
		while (hot->lines[i].line - hot->lines[from].line >=
		       MAX_LINES - 2 * AROUND)
			sum -= hot->lines[from++].samples;
		if (sum > most) {
			most = sum;
			first = hot->lines[from].line;
		}
	}
	return first > AROUND ? first - AROUND : 1;
}

/* Behind the last line with samples that is shown, or the file's end. */
static int64_t end_line(const struct hot *hot, int64_t first)
{
	int64_t end = first;
	size_t i;

	for (i = 0; i < hot->nr; i++)
		if (hot->lines[i].line < first + MAX_LINES - AROUND)
			end = hot->lines[i].line + AROUND + 1;
	/* A profile may name lines that no file has. */
	if (!source_line(hot->lines->file, end - 1))
		end = source_nr(hot->lines->file) + 1;
	return end;
}

static uint64_t samples_of(const struct hot *hot, int64_t line)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < hot->nr; i++)
		if (hot->lines[i].line == line)
			samples += hot->lines[i].samples;
	return samples;
}

static void print_hot(const struct hot *hot, time_t written, size_t *left,
		      FILE *out)
{
	int64_t first = first_line(hot), end = end_line(hot, first), line;
	char *text;

	fputs("{\"name\":", out);
	json_string(out, hot->lines->name);
	fputs(",\"object\":", out);
	json_string(out, hot->lines->object);
	fputs(",\"file\":", out);
	json_string(out, hot->lines->file);
	fprintf(out, ",\"newer\":%s,\"samples\":%" PRIu64 ",\"first\":%" PRId64
		",\"lines\":[",
		source_written(hot->lines->file) > written ? "true" : "false",
		hot->samples, first);
	for (line = first; line < end; line++) {
		text = source_wide(source_line(hot->lines->file, line));
		*left -= strlen(text) < *left ? strlen(text) : *left;
		fputs(line > first ? "," : "", out);
		json_string(out, text);
		free(text);
	}
	fputs("],\"self\":[", out);
	for (line = first; line < end; line++)
		fprintf(out, "%s%" PRIu64, line > first ? "," : "",
			samples_of(hot, line));
	fputs("]}", out);
}

void heat_json(const struct model *m, time_t written, FILE *out)
{
	size_t nr, nr_hot, i, left = MAX_TEXT;
	struct warm *list;
	struct hot *hot;
	uint64_t all;

	list = collect_warm(m, &nr, &all);
	hot = find_hot(list, nr, all, &nr_hot);
	fputc('[', out);
	for (i = 0; i < nr_hot && left; i++) {
		fputs(i ? "," : "", out);
		print_hot(&hot[i], written, &left, out);
	}
	fputc(']', out);
	free(hot);
	free(list);
	sources_free();
}
