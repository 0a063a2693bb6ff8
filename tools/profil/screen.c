// SPDX-License-Identifier: MIT
/* A frame is one write, so that no half of one is ever seen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "screen.h"
#include "util.h"

#define HOME		"\033[H"
#define REST_OF_LINE	"\033[K"
#define REST_OF_SCREEN	"\033[J"
#define HIDE_CURSOR	"\033[?25l"
#define SHOW_CURSOR	"\033[?25h"

static struct termios saved;
static bool is_saved, is_entered;
static unsigned int drawn;		/* rows of the last frame */

static void write_all(const char *text, size_t size)
{
	ssize_t done;

	while (size) {
		done = write(STDOUT_FILENO, text, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			die(STATUS_USAGE, "the output can't be written: %s",
			    strerror(errno));
		text += done;
		size -= (size_t)done;
	}
}

void screen_measure(struct screen *screen)
{
	struct winsize size;

	screen->rows = 24;
	screen->columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (size.ws_row)
		screen->rows = size.ws_row;
	if (size.ws_col)
		screen->columns = size.ws_col;
}

void screen_leave(void)
{
	char text[64];

	if (is_saved)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	is_saved = false;
	if (!is_entered)
		return;
	is_entered = false;
	/* What comes next is below the last frame, which stays. */
	snprintf(text, sizeof(text), "\033[%uH\r\n" SHOW_CURSOR, drawn);
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		return;
}

void screen_enter(struct screen *screen)
{
	static bool is_registered;
	struct termios keys;
	char *lines;

	screen->is_terminal = isatty(STDOUT_FILENO);
	screen_measure(screen);
	if (!screen->is_terminal)
		return;
	if (!is_registered)
		atexit(screen_leave);
	is_registered = true;
	if (!tcgetattr(STDIN_FILENO, &saved)) {
		keys = saved;
		keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		keys.c_cc[VMIN] = 1;
		keys.c_cc[VTIME] = 0;
		is_saved = !tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	}
	/* What stands there goes up, and can be scrolled back to. */
	lines = xmalloc(screen->rows + sizeof(HIDE_CURSOR));
	memset(lines, '\n', screen->rows);
	memcpy(lines + screen->rows, HIDE_CURSOR, sizeof(HIDE_CURSOR));
	write_all(lines, strlen(lines));
	free(lines);
	is_entered = true;
}

void screen_draw(const struct screen *screen, const char *text)
{
	unsigned int rows = 0;
	const char *end;
	char *frame;
	size_t size;
	FILE *out;

	if (!screen->is_terminal) {
		write_all(text, strlen(text));
		return;
	}
	out = open_memstream(&frame, &size);
	if (!out)
		die(STATUS_USAGE, "out of memory");
	fputs(HOME, out);
	for (; *text && rows + 1 < screen->rows; text = end + 1, rows++) {
		end = strchrnul(text, '\n');
		fprintf(out, "%s%.*s" REST_OF_LINE, rows ? "\r\n" : "",
			(int)(end - text), text);
		if (!*end)
			break;
	}
	fputs(REST_OF_SCREEN, out);
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	drawn = rows;
	write_all(frame, size);
	free(frame);
}
