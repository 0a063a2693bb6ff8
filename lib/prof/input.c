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

uint32_t input_u32(struct input *in)
{
	uint32_t number;

	memcpy(&number, input_take(in, 1, sizeof(number)), sizeof(number));
	return number;
}
