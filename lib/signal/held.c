// SPDX-License-Identifier: MIT
/*
 * The handlers of the signals that the library holds, and what the program is
 * told instead of them.
 *
 * All that changes is the kernel's: the handler that it has for a signal says
 * what the program set.  So threads need no lock, and a child of vfork(), in
 * the memory of its parent, changes its own signals only.
 */
#define _GNU_SOURCE
#include <string.h>

#include "signal/signals.h"

/* glibc and musl set it, and return it with the other flags. */
#define RESTORER	0x04000000

/* For the held signal; each thread that gets one waits for the first. */
#define FLAGS_SET	(SA_SIGINFO | SA_ONSTACK | SA_RESTART)
#define FLAGS_CHANGED	(FLAGS_SET | (int)SA_RESETHAND)

/* For a handler that is to run once: i386 has arguments only with this. */
#define ONCE_CHANGED	SA_SIGINFO

/* As many as there are handlers below. */
#define TOLD_MAX	32

/* Written once, then only read. */
static struct told {
	handler_fn *handler;	/* SIG_DFL, or one that is to run once */
	uint64_t mask;		/* with SIG_DFL; what the kernel has of it */
	enum { FREE, TAKEN, WRITTEN } state;
	int flags;		/* of those that are not what the kernel has */
} told[TOLD_MAX] = {
	/* The program has set nothing. */
	{ .state = WRITTEN },
};

uint64_t profil_signals_held;
static profil_end_fn *ending;

/* A free entry, or one that says this; 0 if there is no room. */
static int told_find(const struct told *wanted)
{
	int i, state;

	for (i = 1; i < TOLD_MAX; i++) {
		state = __atomic_load_n(&told[i].state, __ATOMIC_ACQUIRE);
		if (state == WRITTEN && told[i].handler == wanted->handler &&
		    told[i].flags == wanted->flags &&
		    told[i].mask == wanted->mask)
			return i;
		if (state == FREE &&
		    __sync_bool_compare_and_swap(&told[i].state, FREE, TAKEN)) {
			told[i].handler = wanted->handler;
			told[i].flags = wanted->flags;
			told[i].mask = wanted->mask;
			__atomic_store_n(&told[i].state, WRITTEN,
					 __ATOMIC_RELEASE);
			return i;
		}
	}
	return 0;
}

static void deliver_signal(const struct told *t, int signo, siginfo_t *info,
			   void *context, const void *frame);

#define HANDLER(i)							\
	static void handler_##i(int signo, siginfo_t *info, void *context) \
	{								\
		deliver_signal(&told[i], signo, info, context,		\
			       __builtin_dwarf_cfa());			\
	}

HANDLER(0)
HANDLER(1)
HANDLER(2)
HANDLER(3)
HANDLER(4)
HANDLER(5)
HANDLER(6)
HANDLER(7)
HANDLER(8)
HANDLER(9)
HANDLER(10)
HANDLER(11)
HANDLER(12)
HANDLER(13)
HANDLER(14)
HANDLER(15)
HANDLER(16)
HANDLER(17)
HANDLER(18)
HANDLER(19)
HANDLER(20)
HANDLER(21)
HANDLER(22)
HANDLER(23)
HANDLER(24)
HANDLER(25)
HANDLER(26)
HANDLER(27)
HANDLER(28)
HANDLER(29)
HANDLER(30)
HANDLER(31)

static void (*const handlers[TOLD_MAX])(int signo, siginfo_t *info,
					void *context) = {
	handler_0, handler_1, handler_2, handler_3, handler_4, handler_5,
	handler_6, handler_7, handler_8, handler_9, handler_10, handler_11,
	handler_12, handler_13, handler_14, handler_15, handler_16, handler_17,
	handler_18, handler_19, handler_20, handler_21, handler_22, handler_23,
	handler_24, handler_25, handler_26, handler_27, handler_28, handler_29,
	handler_30, handler_31,
};

/* The handler for an action that is the default one. */
static void held_action(struct sigaction *ours, const struct sigaction *given)
{
	struct told wanted = {
		.handler = SIG_DFL,
		.flags = given->sa_flags & FLAGS_CHANGED,
	};

	memcpy(&wanted.mask, &given->sa_mask, sizeof(wanted.mask));
	*ours = *given;
	ours->sa_flags = (given->sa_flags & ~FLAGS_CHANGED) | FLAGS_SET;
	sigfillset(&ours->sa_mask);
	ours->sa_sigaction = handlers[told_find(&wanted)];
}

static void hold_again(int signo, const struct sigaction *action)
{
	struct sigaction ours, old;

	held_action(&ours, action);
	/* Another thread may have set a handler meanwhile. */
	if (profil_next_sigaction(signo, &ours, &old) == 0 &&
	    old.sa_handler != SIG_DFL)
		profil_next_sigaction(signo, &old, NULL);
}

/*
 * Whether the kernel called the handler that has this frame: a program has
 * other addresses where it passes these on, or nothing in their place.
 */
static bool called_by_kernel(const void *info, const void *context,
			     const void *frame)
{
	const char *f = frame;

#if defined(__x86_64__)
	return context == f && info == f + 304;
#elif defined(__i386__)
	return info == f + 12 && context == f + 12 + 128;
#elif defined(__aarch64__)
	return info == f && context == f + 128;
#else
#error "no signal frame of this machine"
#endif
}

static void deliver_signal(const struct told *t, int signo, siginfo_t *info,
			   void *context, const void *frame)
{
	struct sigaction now;

	if (t->handler == SIG_DFL) {
		if (called_by_kernel(info, context, frame))
			ending(signo, info, context);
		else
			ending(signo, NULL, NULL);
		return;
	}
	/* SA_RESETHAND has brought the default action back. */
	if (profil_next_sigaction(signo, NULL, &now) == 0 &&
	    now.sa_handler == SIG_DFL) {
		now.sa_flags = (now.sa_flags & ~ONCE_CHANGED) | t->flags;
		hold_again(signo, &now);
	}
	now.sa_handler = t->handler;
	now.sa_sigaction(signo, info, context);
}

static void tell_program(struct sigaction *old)
{
	int i;

	for (i = 0; old->sa_sigaction != handlers[i]; i++)
		if (i == TOLD_MAX - 1)
			return;
	old->sa_handler = told[i].handler;
	if (told[i].handler != SIG_DFL) {
		old->sa_flags = (old->sa_flags & ~ONCE_CHANGED) | told[i].flags;
		return;
	}
	old->sa_flags = (old->sa_flags & ~FLAGS_CHANGED) | told[i].flags;
	if (i == 0 && old->sa_flags == RESTORER) {
		old->sa_flags = 0;
		old->sa_restorer = NULL;
	}
	memcpy(&old->sa_mask, &told[i].mask, sizeof(told[i].mask));
}

int profil_signal_action(int signo, const struct sigaction *action,
			 struct sigaction *old)
{
	struct sigaction ours;
	int ret;

	if (!profil_signal_is_held(signo))
		return profil_next_sigaction(signo, action, old);
	if (action && action->sa_handler == SIG_DFL) {
		held_action(&ours, action);
		action = &ours;
	} else if (action && (action->sa_flags & SA_RESETHAND) &&
		   action->sa_handler != SIG_IGN) {
		struct told wanted = {
			.handler = action->sa_handler,
			.flags = action->sa_flags & ONCE_CHANGED,
		};
		int i = told_find(&wanted);

		ours = *action;
		if (i) {
			ours.sa_sigaction = handlers[i];
			ours.sa_flags |= ONCE_CHANGED;
		}
		action = &ours;
	}
	ret = profil_next_sigaction(signo, action, old);
	if (ret == 0 && old)
		tell_program(old);
	return ret;
}

void profil_signal_hold(int signo, profil_end_fn *end)
{
	struct sigaction now, ours;

	ending = end;
	__atomic_fetch_or(&profil_signals_held, (uint64_t)1 << signo,
			  __ATOMIC_RELEASE);
	if (profil_next_sigaction(signo, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
		return;
	held_action(&ours, &now);
	if (!now.sa_flags)
		ours.sa_sigaction = handlers[0];
	profil_next_sigaction(signo, &ours, NULL);
}

void profil_signal_release(int signo)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigemptyset(&action.sa_mask);
	profil_next_sigaction(signo, &action, NULL);
}
