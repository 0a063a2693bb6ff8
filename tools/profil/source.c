// SPDX-License-Identifier: MIT
/* The source of a function, each line with its share. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate.h"
#include "hash.h"
#include "util.h"

#define MAX_SOURCE	(16 << 20)
#define MAX_WIDE	400	/* bytes of a line that are shown */
#define MAX_GAP		40	/* lines without code that are still printed */

static struct source {
	char *name;
	char *real;		/* without symbolic links; NULL: not known */
	char *text;		/* lines end in '\0'; NULL: can't be read */
	const char **lines;
	size_t nr;
	time_t written;
} *sources;
static size_t nr_sources;
static struct table *by_name;	/* 1 more than the index in sources */

/* Of what was opened, whatever has its name now. */
static char *real_path(int fd)
{
	char *name = xasprintf("/proc/self/fd/%d", fd), path[PATH_MAX];
	ssize_t length = readlink(name, path, sizeof(path));

	free(name);
	return length > 0 && length < (ssize_t)sizeof(path) ?
	       xasprintf("%.*s", (int)length, path) : NULL;
}

static char *read_text(struct source *source, size_t *size)
{
	char *text = NULL;
	struct stat st;
	ssize_t nr;
	int fd;

	fd = open(source->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MAX_SOURCE) {
		text = xmalloc(st.st_size + 1);
		nr = read(fd, text, st.st_size);
		*size = nr < 0 ? 0 : nr;
		text[*size] = '\0';
		source->written = st.st_mtime;
		source->real = real_path(fd);
	}
	close(fd);
	return text;
}

static struct source *source_get(const char *name)
{
	uint64_t hash = hash_bytes(hash_seed(), name, strlen(name)), found;
	size_t slot = SIZE_MAX, size = 0;
	struct source *source;
	char *at, *end;

	if (!by_name)
		by_name = xcalloc(1, sizeof(*by_name));
	while ((found = table_next(by_name, hash, &slot)))
		if (!strcmp(sources[found - 1].name, name))
			return &sources[found - 1];
	sources = xgrow(sources, nr_sources, sizeof(*sources));
	source = &sources[nr_sources++];
	table_add(by_name, hash, nr_sources);
	*source = (struct source){ .name = xstrdup(name) };
	source->text = read_text(source, &size);
	for (at = source->text; at && at < source->text + size; at = end + 1) {
		end = memchr(at, '\n', source->text + size - at);
		if (!end)
			end = source->text + size;
		*end = '\0';
		source->lines = xgrow(source->lines, source->nr,
				      sizeof(*source->lines));
		source->lines[source->nr++] = at;
	}
	return source;
}

const char *source_line(const char *file, int64_t line)
{
	const struct source *source = source_get(file);

	if (line < 1 || (uint64_t)line > source->nr)
		return NULL;
	return source->lines[line - 1];
}

int64_t source_nr(const char *file)
{
	return (int64_t)source_get(file)->nr;
}

time_t source_written(const char *file)
{
	return source_get(file)->written;
}

const char *source_real(const char *file)
{
	return source_get(file)->real;
}

char *source_wide(const char *text)
{
	char *wide = xmalloc(MAX_WIDE + 8 + 1);
	size_t used = 0;

	for (; *text && used < MAX_WIDE; text++) {
		if (*text != '\t') {
			wide[used++] = *text;
			continue;
		}
		do {
			wide[used++] = ' ';
		} while (used % 8);
	}
	wide[used] = '\0';
	return wide;
}

void sources_free(void)
{
	size_t i;

	for (i = 0; i < nr_sources; i++) {
		free(sources[i].name);
		free(sources[i].real);
		free(sources[i].text);
		free(sources[i].lines);
	}
	free(sources);
	if (by_name)
		table_free(by_name);
	by_name = NULL;
	sources = NULL;
	nr_sources = 0;
}

/* A line that has code, and its samples. */
struct used {
	const char *file;
	size_t first;		/* instruction of the file */
	int line;
	uint64_t samples;
};

static int by_file(const void *a, const void *b)
{
	const struct used *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int by_first(const void *a, const void *b)
{
	const struct used *x = a, *y = b;

	if (x->first != y->first)
		return x->first > y->first ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

static void print_text(const char *text, unsigned int width)
{
	char *wide = source_wide(text);

	print_cut(stdout, wide, width > 18 ? width - 17 : 0);
	putchar('\n');
	free(wide);
}

static void print_line(const char *file, const struct used *used,
		       const struct body *body, const struct terminal *terminal)
{
	double share = (double)used->samples / body->samples;
	const char *text = source_line(file, used->line);

	if (used->samples)
		printf("%s%6.1f %%%s", heat_begin(terminal, share), 100 * share,
		       heat_end(terminal, share));
	else
		printf("%8s", "");
	printf(" %6d  ", used->line);
	print_text(text ? text : "", terminal->width);
}

static void print_file(struct used *list, size_t nr, const struct body *body,
		       const struct terminal *terminal, time_t written)
{
	const char *file = list->file;
	const struct source *source = source_get(file);
	struct used gap = { 0 };
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		if (kept && list[kept - 1].line == list[i].line)
			list[kept - 1].samples += list[i].samples;
		else
			list[kept++] = list[i];
	}
	text_print(stdout, file);
	if (!source->text)
		fputs(" (can't be read)", stdout);
	else if (source->written > written)
		fputs(" (written after the profile: lines may be wrong)",
		      stdout);
	printf("\n%8s %6s\n", "self", "line");
	for (i = 0; i < kept; i++) {
		if (i && source->text &&
		    list[i].line - list[i - 1].line <= MAX_GAP)
			for (gap.line = list[i - 1].line + 1;
			     gap.line < list[i].line; gap.line++)
				print_line(file, &gap, body, terminal);
		else if (i && list[i].line > list[i - 1].line + 1)
			printf("%15s\n", "...");
		print_line(file, &list[i], body, terminal);
	}
	putchar('\n');
}

/* The files in the order of their first instructions, the lines of each sorted. */
static struct used *lines_used(const struct code *code, size_t *nr)
{
	struct used *list = xcalloc(code->nr + 1, sizeof(*list));
	size_t i;

	*nr = 0;
	for (i = 0; i < code->nr; i++) {
		const struct instruction *one = &code->list[i];

		if (one->file && one->line > 0)
			list[(*nr)++] = (struct used){ one->file, i, one->line,
						       one->samples };
	}
	qsort(list, *nr, sizeof(*list), by_file);
	for (i = 1; i < *nr; i++)
		if (!strcmp(list[i].file, list[i - 1].file))
			list[i].first = list[i - 1].first;
	qsort(list, *nr, sizeof(*list), by_first);
	return list;
}

void source_print(const struct code *code, const struct body *body,
		  const struct terminal *terminal, time_t written)
{
	size_t nr, begin, end;
	struct used *list = lines_used(code, &nr);

	for (begin = 0; begin < nr; begin = end) {
		for (end = begin + 1; end < nr; end++)
			if (list[end].first != list[begin].first)
				break;
		print_file(&list[begin], end - begin, body, terminal, written);
	}
	free(list);
}
