// SPDX-License-Identifier: MIT
/*
 * perf-PID.map: a line "START SIZE NAME" for each function, in hexadecimal.
 * The file is the program's, so it counts only if the program's user owns it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit.h"
#include "util.h"

#define FILE_MAX	(64 << 20)

static int by_start(const void *one, const void *two)
{
	const struct jit_function *a = one, *b = two;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* In the order of the file. */
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Of two at one address the later; entries behind old bytes are new. */
static void unite(struct jit *jit, int64_t old)
{
	struct jit_function *list = jit->list, *last;
	size_t nr = 0, i;

	for (i = 0; i < jit->nr; i++) {
		last = nr ? &list[nr - 1] : NULL;
		if (!last || last->start != list[i].start) {
			list[nr++] = list[i];
			continue;
		}
		list[i].twice = last->twice ||
				(list[i].name - jit->text >= old &&
				 strcmp(last->name, list[i].name) != 0);
		*last = list[i];
	}
	jit->nr = nr;
}

static void forget_twice(struct jit *jit)
{
	size_t i;

	for (i = 0; i < jit->nr; i++)
		jit->list[i].twice = false;
}

static void parse(struct jit *jit, int64_t old)
{
	char *at = jit->text, *next, *end;
	struct jit_function function = { 0 };

	for (; *at; at = next) {
		end = strchrnul(at, '\n');
		next = *end ? end + 1 : end;
		*end = '\0';
		function.start = strtoull(at, &at, 16);
		function.size = strtoull(at, &at, 16);
		if (*at != ' ' || !function.size)
			continue;
		function.name = at + 1;
		jit->list = xgrow(jit->list, jit->nr, sizeof(*jit->list));
		jit->list[jit->nr++] = function;
	}
	if (!jit->nr)
		return;
	qsort(jit->list, jit->nr, sizeof(*jit->list), by_start);
	unite(jit, old);
}

void jit_read(struct jit *jit, int root, pid_t inner_pid, uid_t uid)
{
	int64_t mtime_ns, old = jit->size;
	char path[64];
	struct stat st;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", inner_pid);
	fd = object_open(root, path, O_NOFOLLOW);
	if (fd < 0)
		return;
	if (fstat(fd, &st) || st.st_uid != uid || st.st_size > FILE_MAX)
		goto out;
	mtime_ns = st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec;
	if (st.st_size == jit->size && mtime_ns == jit->mtime_ns) {
		forget_twice(jit);
		goto out;
	}
	jit_free(jit);
	jit->text = xmalloc((size_t)st.st_size + 1);
	size = pread(fd, jit->text, (size_t)st.st_size, 0);
	jit->text[size > 0 ? size : 0] = '\0';
	jit->size = st.st_size;
	jit->mtime_ns = mtime_ns;
	/* One that is shorter was written anew. */
	parse(jit, old <= st.st_size ? old : 0);
out:
	close(fd);
}

const char *jit_find(const struct jit *jit, uint64_t pc)
{
	size_t low = 0, high = jit->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (jit->list[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pc - jit->list[low - 1].start >= jit->list[low - 1].size)
		return NULL;
	return jit->list[low - 1].twice ? "[jit: two functions]" :
					  jit->list[low - 1].name;
}

void jit_free(struct jit *jit)
{
	free(jit->list);
	free(jit->text);
	*jit = (struct jit){ 0 };
}
