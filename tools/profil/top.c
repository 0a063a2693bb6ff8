// SPDX-License-Identifier: MIT
/*
 * profil top: where running processes spend their CPU time now.
 *
 * An interval's samples are a model of their own.  It is named, shown until the
 * next one is there, and freed.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "commands.h"
#include "join.h"
#include "known.h"
#include "process.h"
#include "record.h"
#include "screen.h"
#include "top_frame.h"
#include "util.h"

#define ROWS_PLAIN	30
#define TOP_RATE	500	/* a table is new work for each sample */

struct top {
	struct recording r;
	struct join join;
	struct screen screen;
	struct model *shown;	/* the last interval */
	struct top_view view;
	struct books taken;	/* of the intervals before this one */
	int64_t begin_ns, interval_ns;
	double rate;
	bool paths, paused, ended, quit;
	unsigned long frames, frames_max;
	int signals, events;
};

static void print_usage(FILE *out)
{
	fputs("usage: profil top [OPTION...] -p PID | NAME\n"
	      "\n"
	      "Shows where running processes spend their CPU time now, until they end or q\n"
	      "is typed.  NAME is a process's name or that of its executable.\n"
	      "\n"
	      "  -p PID         this process\n"
	      "  -d SECONDS     each table is of so long (2)\n"
	      "  -n TABLES      end after so many\n"
	      "  -r RATE        samples a second of CPU time (500)\n"
	      "  --by WHAT      function, process or thread\n"
	      "  --sort WHAT    self or total: which is highest in the first row\n"
	      "  --descendants  what it has started before, too\n"
	      "  --no-follow    not what it starts from now on\n"
	      "  --no-paths     not what called what: total is self\n"
	      "\n"
	      "Keys: q ends, s sorts by self or total, p and t show processes and threads\n"
	      "or functions again, space stops the picture.\n", out);
}

static const char *state_of(const struct top *t)
{
	if (t->ended)
		return "it has ended";
	if (t->paused)
		return "[paused]  space: go on  q: quit";
	return t->screen.is_terminal ?
	       "q: quit  s: self/total  p: processes  t: threads  space: pause" :
	       NULL;
}

static void draw_frame(struct top *t)
{
	unsigned int rows = t->screen.rows, lines = TOP_FRAME_LINES;
	char *text, *old;

	if (!t->shown)
		return;
	t->view.state = state_of(t);
	t->view.terminal = terminal_of(stdout, COLOR_AUTO);
	t->view.rows = ROWS_PLAIN;
	/* A line as wide as the terminal would wrap. */
	t->view.terminal.width = t->screen.is_terminal ?
				 t->screen.columns - 1 : 0;
	if (t->screen.is_terminal)
		t->view.rows = rows > lines ? rows - lines : 1;
	text = top_frame(t->shown, &t->view);
	if (!t->screen.is_terminal) {
		old = text;
		text = xasprintf("%s\n", old);
		free(old);
	}
	screen_draw(&t->screen, text);
	free(text);
}

static struct books books_since(const struct books *now, const struct books *then)
{
	return (struct books){
		.counted = now->counted - then->counted,
		.unplaced = now->unplaced - then->unplaced,
		.refused = now->refused - then->refused,
		.lost = now->lost - then->lost,
		.cpu_ns = now->cpu_ns - then->cpu_ns,
	};
}

/* The interval is over: it is shown, unless the picture has been stopped. */
static void end_interval(struct top *t)
{
	const struct books *books = &t->r.observer.books;
	int64_t now = now_ns();
	struct model *m;
	bool is_new;

	record_take(&t->r);
	t->ended = record_is_alone(&t->r);
	m = t->r.model;
	is_new = !t->paused && (!t->ended || !t->shown || m->nr_samples);
	if (!is_new) {
		model_free(m);
	} else {
		known_names(m);
		model_free(t->shown);
		t->shown = m;
		t->view.seconds = (double)(now - t->begin_ns) / 1e9;
		t->view.books = books_since(books, &t->taken);
		t->view.processes = t->r.observer.followed;
	}
	record_renew(&t->r);
	t->taken = *books;
	t->begin_ns = now;
	/* On a terminal the end is said below the last table. */
	if (is_new || (t->ended && t->screen.is_terminal))
		draw_frame(t);
	t->frames += is_new;
}

static void take_key(struct top *t, char key)
{
	enum by other = key == 'p' ? BY_PROCESS : BY_THREAD;

	switch (key) {
	case 'q':
		t->quit = true;
		return;
	case 's':
		t->view.total_first = !t->view.total_first;
		break;
	case 'p':
	case 't':
		t->view.by = t->view.by == other ? BY_FUNCTION : other;
		break;
	case ' ':
		t->paused = !t->paused;
		break;
	default:
		return;
	}
	draw_frame(t);
}

/* As any program stops, with the terminal as it was. */
static void stop_here(struct top *t)
{
	screen_leave();
	raise(SIGSTOP);
	screen_enter(&t->screen);
	draw_frame(t);
}

static void take_signals(struct top *t)
{
	struct signalfd_siginfo info;

	while (read(t->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGTSTP) {
			stop_here(t);
		} else if (info.ssi_signo == SIGWINCH) {
			screen_measure(&t->screen);
			draw_frame(t);
		} else {
			t->quit = true;
		}
	}
}

static void take_events(struct top *t)
{
	struct epoll_event event;
	char keys[16];
	ssize_t nr, i;

	while (!t->quit && epoll_wait(t->events, &event, 1, 0) > 0) {
		if (event.data.fd == t->signals) {
			take_signals(t);
			continue;
		}
		nr = read(STDIN_FILENO, keys, sizeof(keys));
		if (nr <= 0)
			epoll_ctl(t->events, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
		for (i = 0; i < nr && !t->quit; i++)
			take_key(t, keys[i]);
	}
}

static void add_event(const struct top *t, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	epoll_ctl(t->events, EPOLL_CTL_ADD, fd, &event);
}

static void open_events(struct top *t)
{
	static const int caught[] = {
		SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGWINCH,
	};
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(caught); i++)
		if (caught[i] != SIGTSTP || isatty(STDOUT_FILENO))
			sigaddset(&set, caught[i]);
	record_catch_hangup(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	t->events = epoll_create1(EPOLL_CLOEXEC);
	add_event(t, t->signals);
	if (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO))
		add_event(t, STDIN_FILENO);
}

static char *title_of(const struct join *join)
{
	char path[64], comm[32];

	if (join->name)
		return xstrdup(join->name);
	snprintf(path, sizeof(path), "/proc/%d/comm", join->pid);
	if (!read_start(path, comm, sizeof(comm)))
		return xasprintf("process %d", join->pid);
	comm[strcspn(comm, "\n")] = '\0';
	return xasprintf("%s (%d)", comm, join->pid);
}

static int watch_processes(struct top *t, char **argv)
{
	int64_t next;

	if (!record_open(&t->r, (uint32_t)t->rate, t->paths, argv))
		return STATUS_USAGE;
	record_begin(&t->r, 0);
	record_raise_files();
	t->join.observer = &t->r.observer;
	t->view.title = title_of(&t->join);
	open_events(t);
	if (!join_processes(&t->join))
		return STATUS_NOT_FOUND;
	screen_enter(&t->screen);
	t->begin_ns = now_ns();
	next = t->begin_ns + t->interval_ns;
	while (!t->quit && !t->ended &&
	       (!t->frames_max || t->frames < t->frames_max)) {
		t->r.window.end_ns = next;
		if (record_wait(&t->r, t->events))
			take_events(t);
		if (t->quit || (now_ns() < next && !record_is_alone(&t->r)))
			continue;
		end_interval(t);
		next = t->begin_ns + t->interval_ns;
	}
	screen_leave();
	join_say_left_out(t->join.left_out);
	if (t->ended)
		warn("%s has ended", t->view.title);
	if (!t->screen.is_terminal)
		warn("%lu tables of %llu samples", t->frames,
		     (unsigned long long)t->taken.counted);
	return t->r.failed ? STATUS_USAGE : 0;
}

static bool take_by(struct top *t, const char *text)
{
	static const enum by allowed[] = { BY_FUNCTION, BY_PROCESS, BY_THREAD };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(allowed); i++) {
		t->view.by = allowed[i];
		if (!strcmp(text, by_names[allowed[i]]))
			return true;
	}
	warn("--by is function, process or thread, not %s", text);
	return false;
}

static bool take_sort(struct top *t, const char *text)
{
	t->view.total_first = !strcmp(text, "total");
	if (t->view.total_first || !strcmp(text, "self"))
		return true;
	warn("--sort is self or total, not %s", text);
	return false;
}

static bool take_option(struct top *t, int option, const char *text)
{
	double number;

	switch (option) {
	case 'b':
		return take_by(t, text);
	case 's':
		return take_sort(t, text);
	case 'c':
		t->join.descendants = true;
		return true;
	case 'f':
		t->join.follow = false;
		return true;
	case 'P':
		t->paths = false;
		return true;
	case 'd':
		if (!record_number("-d", text, 1e6, &number))
			return false;
		t->interval_ns = (int64_t)(number * 1e9);
		return true;
	case 'n':
		if (!record_number("-n", text, INT32_MAX, &number))
			return false;
		t->frames_max = number < 1 ? 1 : (unsigned long)number;
		return true;
	case 'p':
		return join_option(&t->join, text);
	case 'r':
		return record_rate(text, &t->rate);
	default:
		print_usage(stderr);
		return false;
	}
}

int cmd_top(int argc, char **argv)
{
	static const struct option options[] = {
		{ "by", required_argument, NULL, 'b' },
		{ "descendants", no_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "no-follow", no_argument, NULL, 'f' },
		{ "no-paths", no_argument, NULL, 'P' },
		{ "sort", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 }
	};
	struct top t = {
		.r = { .quiet = true, .is_live = true,
		       .window = WINDOW_NEW },
		.join = { .command = "top", .follow = true, .quiet = true },
		.interval_ns = 2000000000, .rate = TOP_RATE, .paths = true,
	};
	int option;

	while ((option = getopt_long(argc, argv, "d:hn:p:r:", options,
				     NULL)) >= 0) {
		if (option == 'h') {
			print_usage(stdout);
			return 0;
		}
		if (!take_option(&t, option, optarg))
			return STATUS_USAGE;
	}
	if (optind < argc)
		t.join.name = argv[optind++];
	if (optind < argc || !t.join.pid == !t.join.name) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	return watch_processes(&t, argv);
}
