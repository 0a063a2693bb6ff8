// SPDX-License-Identifier: MIT
/* Files are read whole, and taken apart without trust in what they say. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prof.h"

int input_open(const char *name, size_t *size)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		die("%s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		die("%s: not a regular file", name);
	*size = (size_t)st.st_size;
	return fd;
}

/* Which of two files a program left last; NULL if there is neither. */
static const char *newer_of(const char *one, const char *two)
{
	struct stat first, second;

	if (stat(two, &second) != 0)
		return stat(one, &first) == 0 ? one : NULL;
	if (stat(one, &first) != 0)
		return two;
	if (first.st_mtim.tv_sec != second.st_mtim.tv_sec)
		return first.st_mtim.tv_sec > second.st_mtim.tv_sec ? one : two;
	return first.st_mtim.tv_nsec >= second.st_mtim.tv_nsec ? one : two;
}

const char *input_find(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = newer_of("mon.out", "gmon.out");
	int len = slash ? (int)(slash - program) + 1 : 0;
	char *one, *two;

	if (name)
		return name;
	if (asprintf(&one, "%.*smon.out", len, program) < 0 ||
	    asprintf(&two, "%.*sgmon.out", len, program) < 0)
		die("out of memory");
	name = newer_of(one, two);
	if (!name)
		die("neither mon.out nor gmon.out is here or beside %s: did the program end by exit?",
		    program);
	return name;
}

struct input input_read(const char *name)
{
	struct input in = { .name = name };
	unsigned char *data;
	size_t size, done = 0;
	ssize_t ret;
	int fd;

	fd = input_open(name, &size);
	data = malloc(size + 1);
	if (!data)
		die("%s: out of memory", name);
	while (done < size) {
		ret = read(fd, data + done, size - done);
		if (ret < 0)
			die("%s: %s", name, strerror(errno));
		if (ret == 0)
			break;
		done += (size_t)ret;
	}
	close(fd);
	in.data = data;
	in.size = done;
	return in;
}

const void *input_take(struct input *in, uint64_t nr, size_t size)
{
	const unsigned char *here = in->data + in->at;

	if (nr > (in->size - in->at) / size)
		die("%s: cut short: it has %zu bytes", in->name, in->size);
	in->at += (size_t)nr * size;
	return here;
}

uint64_t input_word(struct input *in, unsigned int word)
{
	uint64_t wide;

	if (word == 4)
		return input_u32(in);
	memcpy(&wide, input_take(in, 1, sizeof(wide)), sizeof(wide));
	return wide;
}

uint32_t input_u32(struct input *in)
{
	uint32_t number;

	memcpy(&number, input_take(in, 1, sizeof(number)), sizeof(number));
	return number;
}
