// SPDX-License-Identifier: MIT
/* profil attach: records processes that run already. */
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "commands.h"
#include "join.h"
#include "process.h"
#include "record.h"
#include "util.h"

struct attach {
	struct recording r;
	struct join join;
	bool paths;
	double rate;
};

static void print_usage(FILE *out)
{
	fputs("usage: profil attach [OPTION...] -p PID | NAME\n"
	      "\n"
	      "Records where running processes spend their CPU time: until they end, the\n"
	      "time is over, or ^C.  NAME is a process's name or that of its executable.\n"
	      "\n"
	      "  -p PID                  this process\n"
	      "  -o FILE                 the profile (./profil.pb.gz)\n"
	      "  -r RATE                 samples a second of CPU time (1000)\n"
	      "  -q                      no summary\n"
	      "  --descendants           what it has started before, too\n"
	      "  --no-follow             not what it starts from now on\n"
	      "  --no-paths              not what called what\n"
	      WINDOW_USAGE, out);
}

static int catch_ends(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	record_catch_hangup(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* As it was typed, but for the order of options. */
static void note_command(struct model *m, char **argv)
{
	char *text = join_words(argv + 1);
	char *command = xasprintf("profil attach %s", text);

	m->command = model_string(m, command);
	free(command);
	free(text);
}

/*
 * What begins meanwhile has the name as well.  A command ends the delay, and is
 * answered when all have joined.  False: there will be nothing to record.
 */
static bool wait_for_delay(struct attach *a, int signals,
			   enum control_command *command)
{
	struct control *control = &a->r.window.control;
	struct pollfd fds[2] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = control->fd, .events = POLLIN },
	};
	int64_t now = now_ns(), end = now + (int64_t)(a->r.window.delay * 1e9);

	for (; !*command && now < end; now = now_ns()) {
		poll(fds, 2, (int)((end - now) / 1000000 + 1));
		if (fds[0].revents)
			return false;
		while ((*command = control_next(control)) == CONTROL_PING)
			control_ack(control);
	}
	if (*command != CONTROL_STOP)
		return true;
	control_ack(control);
	return false;
}

static int attach_all(struct attach *a, char **argv)
{
	enum control_command command = CONTROL_NONE;
	double delay = a->r.window.delay;
	int signals = catch_ends();

	if (!record_open(&a->r, (uint32_t)a->rate, a->paths, argv))
		return STATUS_USAGE;
	if (delay > 0 && !wait_for_delay(a, signals, &command)) {
		warn("it was ended before --delay was over: nothing was recorded");
		return STATUS_NOT_FOUND;
	}
	record_begin(&a->r, delay < 0 || command == CONTROL_DISABLE ? -1 : 0);
	record_raise_files();
	note_command(a->r.model, argv);
	a->join.observer = &a->r.observer;
	if (!join_processes(&a->join))
		return STATUS_NOT_FOUND;
	if (!a->r.quiet)
		join_say_left_out(a->join.left_out);
	if (command)
		control_ack(&a->r.window.control);
	record_wait(&a->r, signals);
	return record_finish(&a->r) ? 0 : STATUS_USAGE;
}

static bool take_option(struct attach *a, int option, const char *text)
{
	switch (option) {
	case 'C':
	case 'd':
	case 'D':
		return window_option(&a->r.window, option, text);
	case 'c':
		a->join.descendants = true;
		return true;
	case 'n':
		a->join.follow = false;
		return true;
	case 'P':
		a->paths = false;
		return true;
	case 'o':
		a->r.output = text;
		return true;
	case 'p':
		return join_option(&a->join, text);
	case 'q':
		a->r.quiet = true;
		a->join.quiet = true;
		return true;
	case 'r':
		return record_rate(text, &a->rate);
	default:
		print_usage(stderr);
		return false;
	}
}

int cmd_attach(int argc, char **argv)
{
	static const struct option options[] = {
		{ "descendants", no_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "no-follow", no_argument, NULL, 'n' },
		{ "no-paths", no_argument, NULL, 'P' },
		{ "control", required_argument, NULL, 'C' },
		{ "delay", required_argument, NULL, 'D' },
		{ "duration", required_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 }
	};
	struct attach a = {
		.r.window = WINDOW_NEW,
		.join = { .command = "attach", .follow = true },
		.paths = true, .rate = RATE_DEFAULT,
	};
	int option;

	while ((option = getopt_long(argc, argv, "d:D:ho:p:qr:", options,
				     NULL)) >= 0) {
		if (option == 'h') {
			print_usage(stdout);
			return 0;
		}
		if (!take_option(&a, option, optarg))
			return STATUS_USAGE;
	}
	if (optind < argc)
		a.join.name = argv[optind++];
	if (optind < argc || !a.join.pid == !a.join.name) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (!window_is_sane(&a.r.window))
		return STATUS_USAGE;
	return attach_all(&a, argv);
}
