// SPDX-License-Identifier: MIT
/*
 * Commands from a FIFO.
 *
 * A FIFO is opened for reading and writing, so that one sender's end is not the
 * end of all, and a reader of answers that is missing stops nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"
#include "util.h"

static int open_fifo(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0) {
		warn("--control: %s: %s%s", path, strerror(errno),
		     errno == ENOENT ? ": make it by mkfifo" : "");
		return -1;
	}
	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
		return fd;
	warn("--control: %s is not a FIFO: make it by mkfifo", path);
	close(fd);
	return -1;
}

bool control_open(struct control *control, const char *spec)
{
	static const char prefix[] = "fifo:";
	char *path, *ack;

	if (!strncmp(spec, prefix, strlen(prefix)))
		spec += strlen(prefix);
	path = xasprintf("%s", spec);
	ack = strchr(path, ',');
	if (ack)
		*ack++ = '\0';
	control_close(control);
	control->fd = open_fifo(path);
	if (control->fd >= 0 && ack) {
		control->ack = open_fifo(ack);
		if (control->ack < 0)
			control_close(control);
	}
	free(path);
	return control->fd >= 0;
}

static enum control_command command_of(const char *line)
{
	static const char * const names[] = {
		[CONTROL_ENABLE] = "enable", [CONTROL_DISABLE] = "disable",
		[CONTROL_STOP] = "stop", [CONTROL_PING] = "ping",
	};
	size_t i;

	for (i = CONTROL_ENABLE; i < ARRAY_SIZE(names); i++)
		if (!strcmp(line, names[i]))
			return i;
	if (*line)
		warn("--control: there is no command %s: enable, disable, stop and ping are known",
		     line);
	return CONTROL_NONE;
}

/* A line that is too long is cut, and so no command. */
enum control_command control_next(struct control *control)
{
	enum control_command command;
	char c;

	while (control->fd >= 0 && read(control->fd, &c, 1) == 1) {
		/* perf's own senders end a command with both. */
		if (c && c != '\n') {
			if (control->used + 1 < sizeof(control->line))
				control->line[control->used++] = c;
			continue;
		}
		control->line[control->used] = '\0';
		control->used = 0;
		command = command_of(control->line);
		if (command)
			return command;
	}
	return CONTROL_NONE;
}

void control_ack(const struct control *control)
{
	static const char text[] = "ack\n";

	/* With no room for it, there is no reader that waits. */
	if (control->ack >= 0 &&
	    write(control->ack, text, strlen(text)) < 0 && errno != EAGAIN)
		warn("--control: the answer: %s", strerror(errno));
}

void control_close(struct control *control)
{
	if (control->fd >= 0)
		close(control->fd);
	if (control->ack >= 0)
		close(control->ack);
	*control = (struct control){ .fd = -1, .ack = -1 };
}
