// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws a profile as top does: frames FILE BY COUNT.  On a terminal another
 * frame comes with each key and each new size; q, or "x" by way of die(), ends.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pprof.h"
#include "screen.h"
#include "top_frame.h"
#include "util.h"

static volatile sig_atomic_t resized;

static void on_winch(int signal)
{
	(void)signal;
	resized = 1;
}

static void draw(const struct screen *screen, struct model *m,
		 struct top_view *view)
{
	char *text;

	view->terminal = terminal_of(stdout, COLOR_AUTO);
	view->terminal.width = screen->is_terminal ? screen->columns - 1 : 0;
	view->rows = screen->is_terminal ? screen->rows - TOP_FRAME_LINES : 3;
	text = top_frame(m, view);
	screen_draw(screen, text);
	free(text);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_winch };
	struct top_view view = { .title = "prog", .processes = 1,
				 .seconds = 2 };
	struct screen screen;
	struct model *m;
	time_t written;
	char key = 0;
	int i;

	if (argc != 4)
		return 2;
	m = pprof_read(argv[1], &written);
	view.books = m->books;
	while (view.by < NR_BY - 1 && strcmp(argv[2], by_names[view.by]))
		view.by++;
	sigaction(SIGWINCH, &action, NULL);
	screen_enter(&screen);
	for (i = atoi(argv[3]); i > 0; i--)
		draw(&screen, m, &view);
	while (screen.is_terminal && key != 'q') {
		if (read(STDIN_FILENO, &key, 1) < 0 && !resized)
			break;
		if (key == 'x')
			die(3, "x was typed");
		if (resized)
			screen_measure(&screen);
		resized = 0;
		draw(&screen, m, &view);
	}
	screen_leave();
	model_free(m);
	return 0;
}
