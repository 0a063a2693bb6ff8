/* SPDX-License-Identifier: MIT */
/* Commands from a FIFO, as perf record --control has them. */
#ifndef PROFIL_CONTROL_H
#define PROFIL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

enum control_command {
	CONTROL_NONE,		/* no more for now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
};

struct control {
	int fd, ack;		/* or -1 */
	char line[64];		/* what came of a line */
	size_t used;
};

/* Of "fifo:COMMANDS[,ACK]", which are names of FIFOs; false after a message. */
bool control_open(struct control *control, const char *spec);
/* The next command that has come, if fd can be read. */
enum control_command control_next(struct control *control);
/* Says that the command has been done. */
void control_ack(const struct control *control);
void control_close(struct control *control);

#endif /* PROFIL_CONTROL_H */
