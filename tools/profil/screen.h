/* SPDX-License-Identifier: MIT */
/* The terminal that is drawn on, and read from. */
#ifndef PROFIL_SCREEN_H
#define PROFIL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct screen {
	bool is_terminal;
	unsigned int rows, columns;
};

/*
 * Takes the terminal: keys come one by one and unseen, and the cursor is hidden,
 * until the program ends or screen_leave().
 */
void screen_enter(struct screen *screen);
void screen_leave(void);
/* After its size has changed. */
void screen_measure(struct screen *screen);
/*
 * Writes a frame at once: on a terminal over the one before, without clearing
 * it, and cut to its size, so that a line is left for what comes after; else
 * after the one before.
 */
void screen_draw(const struct screen *screen, const char *text);

#endif /* PROFIL_SCREEN_H */
