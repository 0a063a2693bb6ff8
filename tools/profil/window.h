/* SPDX-License-Identifier: MIT */
/* When a recording counts: --delay, --duration and --control. */
#ifndef PROFIL_WINDOW_H
#define PROFIL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "model.h"

struct window {
	double delay, seconds;	/* options; a delay below 0: until enabled */
	struct control control;
	int64_t enable_ns;	/* when the delay is over; 0: it is, or never */
	int64_t end_ns;		/* 0: without an end */
	bool off, stopped;
	int64_t off_ns;		/* since when it is off */
	struct books at;	/* as they were then */
	struct books off_books;	/* of all times that it was off */
};

/* For the text of both commands, which have these in their tables. */
#define WINDOW_USAGE							\
	"  -d, --duration SECONDS  for so long\n"			\
	"  -D, --delay SECONDS     begin after so long; -1: when told to\n" \
	"  --control fifo:IN[,ACK] commands: enable, disable, stop, ping\n"

#define WINDOW_NEW	{ .control = { .fd = -1, .ack = -1 } }

/* After all options; false after a message. */
bool window_is_sane(const struct window *w);
/* One of -d, -D and C for --control; false after a message. */
bool window_option(struct window *w, int option, const char *text);
/* The recording begins; a delay that is over already is 0. */
void window_begin(struct window *w, double delay, int64_t now);
/* From now on it counts, or does not; the books are up to date. */
void window_switch(struct window *w, bool on, const struct books *books,
		   int64_t now);
/* The earlier of a time and of the window's next one. */
int64_t window_next(const struct window *w, int64_t next);
/* Takes out of the books what was not to be recorded. */
void window_settle(const struct window *w, struct books *books);

#endif /* PROFIL_WINDOW_H */
