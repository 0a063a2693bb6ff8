/* SPDX-License-Identifier: MIT */
/* What stands above a report, and the terminal that it stands on. */
#ifndef PROFIL_HEAD_H
#define PROFIL_HEAD_H

#include <stdio.h>
#include <time.h>

#include "model.h"

/* Lines of text, each ending in '\n', allocated; safe to print. */
char *head_text(const struct model *m, time_t written, bool age);

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* terminal.c */
struct terminal {
	bool is_terminal;
	bool color;
	unsigned int width;	/* columns; 0: as long as the text is */
};

/* The option's value; a wrong one ends the program. */
enum color color_option(const char *value);
struct terminal terminal_of(FILE *out, enum color color);
/* The colour of a share, or "" ; what ends it is heat_end(). */
const char *heat_begin(const struct terminal *terminal, double share);
const char *heat_end(const struct terminal *terminal, double share);
/* Prints at most so many columns (0: all), then "..." if there is more. */
void print_cut(FILE *out, const char *text, size_t columns);
/* shorten.c: the same of a function's name, of which the middle goes first. */
void print_name(FILE *out, const char *name, size_t columns);
/* Why what was printed did not all arrive: an errno, or 0. */
int output_error(FILE *out);
/* Ends the program then. */
void output_done(FILE *out);

#endif /* PROFIL_HEAD_H */
