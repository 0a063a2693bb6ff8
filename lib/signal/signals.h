/* SPDX-License-Identifier: MIT */
/*
 * Signals that the library holds: the program is told that their action is the
 * default one, and they end it as that does, after a call of the library.
 *
 * These files need no other of the library, so that a static program that
 * calls sigaction() does not get all of it.
 */
#ifndef LIBPROFIL_SIGNALS_H
#define LIBPROFIL_SIGNALS_H

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "internal.h"

/* Weak, so that a static program may have functions of these names. */
#define STANDS_IN	__attribute__((weak, visibility("default")))

typedef void handler_fn(int signo);

/*
 * held.c: end is called where the default action would end the program.  info
 * and context are the kernel's, or NULL if the program called the handler.
 */
typedef void profil_end_fn(int signo, siginfo_t *info, ucontext_t *context);

HIDDEN void profil_signal_hold(int signo, profil_end_fn *end);
/* Lets the default action end the program from here on. */
HIDDEN void profil_signal_release(int signo);
HIDDEN int profil_signal_action(int signo, const struct sigaction *action,
				struct sigaction *old);

/* Bit n is signal n.  Bits are set at the start and stay. */
HIDDEN extern uint64_t profil_signals_held;

static inline uint64_t profil_signals_held_now(void)
{
	return __atomic_load_n(&profil_signals_held, __ATOMIC_RELAXED);
}

static inline bool profil_signal_is_held(int signo)
{
	return signo > 0 && signo < 64 &&
	       profil_signals_held_now() >> signo & 1;
}

/* signals.c: the C library's own. */
HIDDEN int profil_next_sigaction(int signo, const struct sigaction *action,
				 struct sigaction *old);

/*
 * altstack.c: gives this thread a stack for handlers, if it has no such stack;
 * or takes it away, for a handler that is to have that of the thread.
 */
HIDDEN void profil_altstack_set(void *base, size_t size);
HIDDEN void profil_altstack_drop(void);

/*
 * A handler must not be the first to call dlsym(), so constructors do.  A call
 * before them is not in a handler, because its sigaction() came here first.
 */
static inline void *profil_next(const char *name, void **found)
{
	void *next = __atomic_load_n(found, __ATOMIC_RELAXED);
	int saved;

	if (!next) {
		saved = errno;
		next = dlsym(RTLD_NEXT, name);
		errno = saved;
		__atomic_store_n(found, next, __ATOMIC_RELAXED);
	}
	return next;
}

#endif /* LIBPROFIL_SIGNALS_H */
