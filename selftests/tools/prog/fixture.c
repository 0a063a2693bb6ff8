// SPDX-License-Identifier: MIT
/*
 * Writes a profile from lines on standard input; fields are split by tabs:
 *
 *	command TEXT | rate N | time SECONDS | book NAME N | note TEXT | room N
 *	map PATH BUILD_ID START LIMIT OFFSET	the next mapping
 *	sample COUNT FRAME[;FRAME...] [KEY=VALUE...]
 *
 * A FRAME is MAP:ADDRESS[:NAME[@FILE@LINE][^NAME...]], innermost first.  A
 * VALUE of digits is a number; that of the key "path" is how the path ended.
 */
#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "pprof.h"
#include "util.h"

static uint32_t *map_ids;
static size_t nr_maps;

static const char *next(char **line)
{
	const char *field = strsep(line, "\t");

	return field ? field : "";
}

static uint64_t number(char **line)
{
	return strtoull(next(line), NULL, 0);
}

static uint32_t frame(struct model *m, char *text)
{
	uint32_t map = strtoul(strsep(&text, ":"), NULL, 0), location;
	uint64_t address = strtoull(strsep(&text, ":"), NULL, 0);
	struct line lines[1024];
	size_t nr = 0;
	char *one;

	location = model_location(m, map ? map_ids[map - 1] : 0,
				  address);
	while ((one = strsep(&text, "^")) && nr < 1024) {
		struct function function = { .name = strsep(&one, "@") };

		function.system_name = function.name;
		function.file = strsep(&one, "@");
		lines[nr].function = model_function(m, &function);
		lines[nr++].line = one ? atol(one) : 0;
	}
	if (nr)
		model_set_lines(m, location, lines, nr);
	return location;
}

static enum path_end path_end(const char *text)
{
	enum path_end end;

	for (end = PATH_WHOLE; end < NR_PATH_ENDS; end++)
		if (!strcmp(text, path_end_names[end]))
			return end;
	die(STATUS_USAGE, "no path ends %s", text);
}

static void sample(struct model *m, char *line)
{
	uint64_t count = number(&line);
	char *frames = strsep(&line, "\t"), *one;
	enum path_end end = PATH_NONE;
	uint32_t *locations = NULL;
	struct label labels[16];
	size_t nr = 0, nr_labels = 0;

	while (frames && *frames && (one = strsep(&frames, ";"))) {
		locations = xgrow(locations, nr, sizeof(*locations));
		locations[nr++] = frame(m, one);
	}
	while ((one = strsep(&line, "\t")) && nr_labels < 16) {
		struct label *label = &labels[nr_labels];

		*label = (struct label){ .key = strsep(&one, "=") };
		if (!strcmp(label->key, LABEL_PATH)) {
			end = path_end(one);
			continue;
		}
		nr_labels++;
		if (one[strspn(one, "0123456789")])
			label->str = one;
		else
			label->num = strtoll(one, NULL, 10);
	}
	model_path(m, locations, nr, end, labels, nr_labels, count,
		   count * (m->rate ? 1000000000 / m->rate : 0));
	free(locations);
}

static void map(struct model *m, char *line)
{
	struct mapping mapping = { .path = next(&line) };

	mapping.build_id = next(&line);
	mapping.start = number(&line);
	mapping.limit = number(&line);
	mapping.offset = number(&line);
	map_ids = xgrow(map_ids, nr_maps, sizeof(*map_ids));
	map_ids[nr_maps++] = model_mapping(m, &mapping);
}

static void take(struct model *m, char *line)
{
	const char *what = next(&line);
	char *text;

	if (!strcmp(what, "command")) {
		m->command = model_string(m, line);
	} else if (!strcmp(what, "rate")) {
		m->rate = number(&line);
	} else if (!strcmp(what, "room")) {
		m->size_max = number(&line);
	} else if (!strcmp(what, "time")) {
		m->time_ns = number(&line) * 1000000000;
	} else if (!strcmp(what, "map")) {
		map(m, line);
	} else if (!strcmp(what, "sample")) {
		sample(m, line);
	} else {
		const char *name = !strcmp(what, "book") ? next(&line) : what;

		text = xasprintf("%s: %s", name, line);
		if (!books_read(m, text))
			model_comment(m, text);
		free(text);
	}
}

int main(int argc, char **argv)
{
	struct model *m = model_new();
	char *line = NULL, *path;
	size_t room = 0;

	if (argc != 2)
		die(STATUS_USAGE, "usage: fixture FILE <LINES");
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			take(m, line);
	}
	free(line);
	path = pprof_write(m, argv[1]);
	if (path)
		puts(path);
	model_free(m);
	free(map_ids);
	free(path);
	return path ? 0 : 1;
}
