/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the program actions share: ways, and what they print. */
#ifndef ACTIONS_H
#define ACTIONS_H

#include <signal.h>

typedef void handler_fn(int signo);

/* Headers do not have all of these, or as something else. */
handler_fn *bsd_signal(int signo, handler_fn *handler);
handler_fn *__sysv_signal(int signo, handler_fn *handler);
#ifdef __GLIBC__
handler_fn *ssignal(int signo, handler_fn *handler);
int __sigaction(int signo, const struct sigaction *action,
		struct sigaction *old);
#endif

struct way {
	const char *name;
	void (*run)(void);
};

/* Each ends with a name that is NULL. */
extern const struct way ways_to_look[], ways_to_handle[], ways_to_wait[],
			ways_to_stack[], ways_to_end[];

/* gprof says how often it was called. */
void counted(void);

/* Two handlers, each of which writes its name. */
void mine(int signo);
void other(int signo);

void say(const char *what);
const char *handler_name(handler_fn *handler);

/* Prints the action of SIGTERM as the program is told it. */
void told(const char *what);

/* A write to an address that is not mapped. */
void fault(void);

/* Makes the calls and goes this way; _exit(9) where nothing ended it. */
int run_way(const char *way);

/* Forks a child that goes this way; prints what a tracer sees of its end. */
int run_traced(const char *way);

#endif /* ACTIONS_H */
