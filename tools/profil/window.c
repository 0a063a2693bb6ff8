// SPDX-License-Identifier: MIT
/*
 * When a recording counts.
 *
 * The kernel samples all the time.  What it counted while the recording was off
 * is read and dropped, and its books are kept apart, so that the others balance.
 */
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "util.h"
#include "window.h"

#define SECONDS_MAX	1e6

bool window_option(struct window *w, int option, const char *text)
{
	switch (option) {
	case 'C':
		return control_open(&w->control, text);
	case 'd':
		return record_number("--duration", text, SECONDS_MAX,
				     &w->seconds);
	default:
		if (strcmp(text, "-1") != 0 && strcmp(text, "0") != 0)
			return record_number("--delay", text, SECONDS_MAX,
					     &w->delay);
		w->delay = strtod(text, NULL);
		return true;
	}
}

bool window_is_sane(const struct window *w)
{
	if (w->delay >= 0 || w->control.fd >= 0)
		return true;
	warn("--delay -1 waits for an enable: say with --control where it comes from");
	return false;
}

static void begin_duration(struct window *w, int64_t now)
{
	if (w->seconds > 0 && !w->end_ns)
		w->end_ns = now + (int64_t)(w->seconds * 1e9);
}

void window_begin(struct window *w, double delay, int64_t now)
{
	w->off = delay != 0;
	w->off_ns = now;
	if (delay > 0)
		w->enable_ns = now + (int64_t)(delay * 1e9);
	if (!w->off)
		begin_duration(w, now);
}

static void add_off(struct window *w, const struct books *books, int64_t now)
{
	struct books *off = &w->off_books;

	off->seen += books->seen - w->at.seen;
	off->counted += books->counted - w->at.counted;
	off->unplaced += books->unplaced - w->at.unplaced;
	off->refused += books->refused - w->at.refused;
	off->lost += books->lost - w->at.lost;
	off->cpu_ns += books->cpu_ns - w->at.cpu_ns;
	off->wall_ns += (uint64_t)(now - w->off_ns);
}

void window_switch(struct window *w, bool on, const struct books *books,
		   int64_t now)
{
	w->enable_ns = 0;
	if (on)
		begin_duration(w, now);
	if (on != w->off)
		return;
	if (on)
		add_off(w, books, now);
	w->off = !on;
	w->off_ns = now;
	w->at = *books;
}

int64_t window_next(const struct window *w, int64_t next)
{
	if (w->enable_ns && w->enable_ns < next)
		next = w->enable_ns;
	return w->end_ns && w->end_ns < next ? w->end_ns : next;
}

void window_settle(const struct window *w, struct books *books)
{
	const struct books *off = &w->off_books;

	books->seen -= off->seen;
	books->counted -= off->counted;
	books->unplaced -= off->unplaced;
	books->refused -= off->refused;
	books->lost -= off->lost;
	books->cpu_ns -= off->cpu_ns;
	books->wall_ns -= off->wall_ns;
	books->off = off->seen;
	books->off_cpu_ns = off->cpu_ns;
	books->off_wall_ns = off->wall_ns;
}
