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

static void parse_map(struct jit *jit, char *text, int64_t now_ns)
{
	struct jit_code code = { .time_ns = now_ns };
	char *at = text, *next, *end;

	for (; *at; at = next) {
		end = strchrnul(at, '\n');
		next = *end ? end + 1 : end;
		*end = '\0';
		code.start = strtoull(at, &at, 16);
		code.size = strtoull(at, &at, 16);
		if (*at != ' ')
			continue;
		code.name = at + 1;
		jit_add(jit, &code);
	}
	jit_sort(jit);
}

/* A program writes in blocks: the last line may not be whole yet. */
static void read_new(struct jit *jit, int64_t size, int64_t now_ns)
{
	char *text = jit_text(jit, (size_t)(size - jit->read_to) + 1);
	ssize_t got = pread(jit->fd, text, (size_t)(size - jit->read_to),
			    jit->read_to);

	while (got > 0 && text[got - 1] != '\n')
		got--;
	text[got > 0 ? got : 0] = '\0';
	if (got <= 0)
		return;
	jit->read_to += got;
	parse_map(jit, text, now_ns);
}

/* One that was removed is read to its end. */
static bool open_map(struct jit *jit, int root, pid_t inner_pid)
{
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", inner_pid);
	fd = object_open(root, path, O_NOFOLLOW);
	if (fd < 0)
		return jit->fd >= 0;
	if (fstat(fd, &st)) {
		close(fd);
		return false;
	}
	if (jit->fd >= 0 && st.st_dev == jit->dev && st.st_ino == jit->ino) {
		close(fd);
		return true;
	}
	jit_free(jit);
	jit->fd = fd;
	jit->dev = st.st_dev;
	jit->ino = st.st_ino;
	return true;
}

void jit_read_map(struct jit *jit, int root, pid_t inner_pid, uid_t uid,
		  int64_t now_ns)
{
	struct stat st;

	if (jit->is_dump || !open_map(jit, root, inner_pid))
		return;
	if (fstat(jit->fd, &st) || st.st_uid != uid || st.st_size > FILE_MAX) {
		jit_free(jit);
		return;
	}
	if (st.st_size > jit->read_to) {
		read_new(jit, st.st_size, now_ns);
	} else if (st.st_size < jit->read_to) {
		/* It was written anew, and what it told is forgotten. */
		jit->nr = 0;
		jit->read_to = 0;
		read_new(jit, st.st_size, now_ns);
	}
}
