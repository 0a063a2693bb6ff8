// SPDX-License-Identifier: MIT
/*
 * Reading /proc/PID/maps.  The names in it are the process's own choice, and
 * it may have as many lines as the kernel allows.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maps.h"
#include "util.h"

#define TEXT_MAX	(16u << 20)
#define VDSO_MAX	(64u << 10)

/* A line of the file. */
struct line {
	uint64_t start, end, offset, dev, ino;
	bool text;
	const char *name;
};

struct lines {
	struct line *list;
	size_t nr;
};

static char *read_text(pid_t pid)
{
	size_t size = 0, room = 1u << 16;
	char name[64], *text;
	ssize_t ret = 0;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = xmalloc(room + 1);
	while (size < TEXT_MAX &&
	       (ret = read(fd, text + size, room - size)) > 0) {
		size += (size_t)ret;
		if (size == room) {
			text = realloc(text, 2 * room + 1);
			if (!text)
				die(STATUS_USAGE, "out of memory");
			room *= 2;
		}
	}
	close(fd);
	text[size] = '\0';
	if (ret < 0 || !size) {
		free(text);
		return NULL;
	}
	return text;
}

/* The kernel writes a newline in a name as \012. */
static void unescape_name(char *name)
{
	char *to = name;

	for (; *name; name++) {
		if (!strncmp(name, "\\012", 4)) {
			*to++ = '\n';
			name += 3;
		} else {
			*to++ = *name;
		}
	}
	*to = '\0';
}

/* sscanf() takes longer than the kernel, which wrote the line. */
static bool take_number(char **text, int base, char after, uint64_t *number)
{
	char *end;

	*number = strtoull(*text, &end, base);
	if (end == *text || *end != after)
		return false;
	*text = end + 1;
	return true;
}

static bool take_rights(char **text, struct line *line)
{
	if (strchr(*text, ' ') != *text + 4)
		return false;
	line->text = (*text)[2] == 'x';
	*text += 5;
	return true;
}

static bool parse_line(char *text, struct line *line)
{
	uint64_t major, minor;
	char *name;

	if (!take_number(&text, 16, '-', &line->start) ||
	    !take_number(&text, 16, ' ', &line->end) ||
	    !take_rights(&text, line) ||
	    !take_number(&text, 16, ' ', &line->offset) ||
	    !take_number(&text, 16, ':', &major) ||
	    !take_number(&text, 16, ' ', &minor) || line->end <= line->start)
		return false;
	line->dev = major << 20 | minor;
	line->ino = strtoull(text, &name, 10);
	if (name == text)
		return false;
	name += strspn(name, " ");
	unescape_name(name);
	line->name = name;
	return true;
}

static struct lines parse_maps(char *text)
{
	struct lines lines = { 0 };
	char *next, *end;

	for (; *text; text = next) {
		end = strchrnul(text, '\n');
		next = *end ? end + 1 : end;
		*end = '\0';
		lines.list = xgrow(lines.list, lines.nr, sizeof(*lines.list));
		if (parse_line(text, &lines.list[lines.nr]))
			lines.nr++;
	}
	return lines;
}

static bool same_file(const struct line *a, const struct line *b)
{
	return a->ino && a->ino == b->ino && a->dev == b->dev;
}

/* Where the file's first byte is mapped, nearest below the line; or 0. */
static uint64_t head_of(const struct lines *lines, size_t i)
{
	size_t k;

	for (k = i + 1; k-- > 0 && i - k < 64;)
		if (same_file(&lines->list[k], &lines->list[i]) &&
		    !lines->list[k].offset)
			return lines->list[k].start;
	return 0;
}

/* Text that was copied to large pages lies between the rest of its file. */
static const struct line *file_around(const struct lines *lines, size_t i)
{
	const struct line *line = &lines->list[i], *before, *after;
	size_t first = i, last = i;

	while (first && lines->list[first - 1].end == lines->list[first].start &&
	       !lines->list[first].ino)
		first--;
	while (last + 1 < lines->nr && !lines->list[last].ino &&
	       lines->list[last].end == lines->list[last + 1].start)
		last++;
	before = &lines->list[first];
	after = &lines->list[last];
	if (line->name[0] || !same_file(before, after) ||
	    before->start - before->offset != after->start - after->offset)
		return NULL;
	return before;
}

static struct object *vdso_object(const struct view *view,
				  const struct line *line)
{
	static struct object **seen;
	static size_t nr;
	struct object *object;
	size_t i;

	if (line->end - line->start > VDSO_MAX || view->mem < 0)
		return NULL;
	object = object_from_memory("[vdso]", view->mem, line->start,
				    line->end - line->start);
	for (i = 0; i < nr; i++) {
		if (seen[i]->size == object->size &&
		    !memcmp(seen[i]->memory, object->memory, object->size)) {
			object_drop(object);
			return seen[i];
		}
	}
	seen = xgrow(seen, nr, sizeof(*seen));
	seen[nr++] = object;
	return object;
}

static const char *name_of(const struct line *line)
{
	static const char *const known[] = {
		"[stack]", "[heap]", "[vsyscall]", NULL
	};
	size_t i;

	for (i = 0; known[i]; i++)
		if (!strcmp(line->name, known[i]))
			return known[i];
	return "[anonymous]";
}

/* False: the process ended before it was sure which file is mapped. */
static bool map_of(const struct lines *lines, size_t i, const struct view *view,
		   struct map *result)
{
	const struct line *line = &lines->list[i], *file = line;
	struct map map = { .start = line->start, .end = line->end };

	if (!strcmp(line->name, "[vdso]"))
		map.object = vdso_object(view, line);
	if (!line->ino)
		file = file_around(lines, i);
	if (file && !map.object) {
		map.object = object_get(&(struct mapped){
			.dev = file->dev, .ino = file->ino, .path = file->name,
			.start = file->start, .end = file->end,
			.head = head_of(lines, (size_t)(file - lines->list)),
		}, view);
		if (!map.object)
			return false;
		map.offset = file->offset + (line->start - file->start);
	}
	if (!map.object)
		map.name = name_of(line);
	*result = map;
	return true;
}

static int by_address(const void *one, const void *two)
{
	const struct map *a = one, *b = two;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Old maps stay where the new ones leave room. */
static void merge_maps(struct maps *maps, const struct maps *new)
{
	size_t nr = 0, at = 0, i;

	for (i = 0; i < maps->nr; i++) {
		while (at < new->nr && new->list[at].end <= maps->list[i].start)
			at++;
		if (at == new->nr || new->list[at].start >= maps->list[i].end)
			maps->list[nr++] = maps->list[i];
	}
	if (!new->nr)
		return;
	maps->list = reallocarray(maps->list, nr + new->nr,
				  sizeof(*maps->list));
	if (!maps->list)
		die(STATUS_USAGE, "out of memory");
	memcpy(maps->list + nr, new->list, new->nr * sizeof(*new->list));
	maps->nr = nr + new->nr;
	qsort(maps->list, maps->nr, sizeof(*maps->list), by_address);
}

/* The program's file may have been deleted since the kernel told of it. */
static bool same_path(const char *name, const char *path)
{
	size_t length = strlen(path);

	return !strncmp(name, path, length) &&
	       (!name[length] || !strcmp(name + length, DELETED_MARK));
}

static bool passes_check(const struct lines *lines,
			 const struct maps_check *check)
{
	size_t i;

	for (i = 0; i < lines->nr; i++)
		if (check->address - lines->list[i].start <
		    lines->list[i].end - lines->list[i].start)
			return (lines->list[i].ino == check->ino &&
				lines->list[i].dev == check->dev) ||
			       same_path(lines->list[i].name, check->path);
	return !check->address;
}

bool maps_read(struct maps *maps, const struct view *view,
	       const struct maps_check *check)
{
	char *text = read_text(view->pid);
	struct maps new = { 0 };
	struct lines lines;
	bool good;
	size_t i;

	if (!text)
		return false;
	lines = parse_maps(text);
	good = lines.nr && passes_check(&lines, check);
	maps->nr_lines = lines.nr;
	maps->whole = true;
	for (i = 0; good && i < lines.nr; i++) {
		if (!lines.list[i].text)
			continue;
		new.list = xgrow(new.list, new.nr, sizeof(*new.list));
		if (map_of(&lines, i, view, &new.list[new.nr]))
			new.nr++;
		else
			maps->whole = false;
	}
	if (good)
		merge_maps(maps, &new);
	free(new.list);
	free(lines.list);
	free(text);
	return good;
}

static bool is_in(const struct map *map, uint64_t pc)
{
	return pc - map->start < map->end - map->start;
}

const struct map *maps_find(const struct maps *maps, uint64_t pc)
{
	static size_t last;	/* most often it is that again */
	size_t low = 0, high = maps->nr;

	if (last < high && is_in(&maps->list[last], pc))
		return &maps->list[last];
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct map *map = &maps->list[middle];

		if (is_in(map, pc)) {
			last = middle;
			return map;
		}
		if (map->start < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void maps_use(const struct maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr; i++)
		if (maps->list[i].object)
			maps->list[i].object->used = true;
}

void maps_free(struct maps *maps)
{
	free(maps->list);
	*maps = (struct maps){ 0 };
}
