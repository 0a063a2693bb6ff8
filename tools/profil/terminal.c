// SPDX-License-Identifier: MIT
/* The width and the colours of what is printed to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "head.h"
#include "util.h"

enum color color_option(const char *value)
{
	if (!strcmp(value, "auto"))
		return COLOR_AUTO;
	if (!strcmp(value, "always"))
		return COLOR_ALWAYS;
	if (!strcmp(value, "never"))
		return COLOR_NEVER;
	die(STATUS_USAGE, "--color is auto, always or never, not %s", value);
}

static unsigned int width_of(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long width = columns ? strtol(columns, NULL, 10) : 0;

	if (width <= 0 && !ioctl(fd, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (width <= 0)
		width = 80;
	return width < 40 ? 40 : width > 1000 ? 1000 : width;
}

struct terminal terminal_of(FILE *out, enum color color)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	struct terminal terminal = { .is_terminal = isatty(fileno(out)) };

	if (terminal.is_terminal)
		terminal.width = width_of(fileno(out));
	terminal.color = color == COLOR_ALWAYS ||
			 (color == COLOR_AUTO && terminal.is_terminal &&
			  !(no && *no) && !(term && !strcmp(term, "dumb")));
	return terminal;
}

const char *heat_begin(const struct terminal *terminal, double share)
{
	if (!terminal->color || share < 0.01)
		return "";
	return share >= 0.1 ? "\033[1;31m" : "\033[33m";
}

const char *heat_end(const struct terminal *terminal, double share)
{
	return *heat_begin(terminal, share) ? "\033[0m" : "";
}

void print_cut(FILE *out, const char *text, size_t columns)
{
	char *safe = text_safe(text);
	size_t at, column = 0, keep = 0;

	for (at = 0; safe[at]; at++) {
		/* Bytes that go on with a character take no column. */
		if ((safe[at] & 0xc0) == 0x80)
			continue;
		if (columns > 3 && column == columns - 3)
			keep = at;
		column++;
	}
	if (columns && column > columns)
		fprintf(out, "%.*s...", (int)keep, safe);
	else
		fputs(safe, out);
	free(safe);
}

int output_error(FILE *out)
{
	errno = 0;
	if (!fflush(out) && !ferror(out))
		return 0;
	/* The reason of an earlier write is gone: another has the same. */
	clearerr(out);
	if (!errno && fputc('\n', out) != EOF)
		fflush(out);
	return errno ? errno : EIO;
}

void output_done(FILE *out)
{
	int error = output_error(out);

	if (error)
		die(STATUS_USAGE, "the output can't be written: %s",
		    strerror(error));
}
