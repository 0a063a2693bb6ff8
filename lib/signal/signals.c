// SPDX-License-Identifier: MIT
/*
 * Stands in for the C library's calls that set a signal's action, for signals
 * that the library holds.  For all others these call the C library's.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>

#include "signal/signals.h"

/* libprofil.a, where the C library's calls may have no other name. */
#if defined(__PIE__)
#define STATIC
#endif

/* GCC 9 asks for the attributes that a header gave to the other name. */
#if __has_attribute(copy)
#define STANDS_IN_AS(name) \
	__attribute__((copy(name), weak, alias(#name), visibility("default")))
#else
#define STANDS_IN_AS(name) \
	__attribute__((weak, alias(#name), visibility("default")))
#endif

#if defined(STATIC) && defined(__GLIBC__)
int __sigaction(int signo, const struct sigaction *action,
		struct sigaction *old);

int profil_next_sigaction(int signo, const struct sigaction *action,
			  struct sigaction *old)
{
	return __sigaction(signo, action, old);
}
#else
#if defined(STATIC)
/*
 * The name is in a static musl only.  posix_spawn() brings the file that has
 * it, as a weak reference does not.
 */
extern int __sigaction(int signo, const struct sigaction *action,
		       struct sigaction *old) __attribute__((weak));
extern HIDDEN const void *const profil_needs_sigaction;
const void *const profil_needs_sigaction = (const void *)posix_spawn;
static void *found_sigaction = (void *)__sigaction;
#else
static void *found_sigaction;
#endif

int profil_next_sigaction(int signo, const struct sigaction *action,
			  struct sigaction *old)
{
	int (*next)(int signo, const struct sigaction *action,
		    struct sigaction *old) =
		profil_next("sigaction", &found_sigaction);

	return next(signo, action, old);
}
#endif

STANDS_IN int sigaction(int signo, const struct sigaction *restrict action,
			struct sigaction *restrict old)
{
	int ret;

	if (!profil_signals_held_now())
		return profil_next_sigaction(signo, action, old);
	ret = profil_signal_action(signo, action, old);
	if (ret == 0 && action && (action->sa_flags & SA_ONSTACK))
		profil_altstack_drop();
	return ret;
}

/* What siginterrupt() asked for; bit n is signal n. */
static uint64_t interrupting;

static handler_fn *set_action(int signo, handler_fn *handler, int flags,
			      bool masked)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	sigemptyset(&action.sa_mask);
	if (masked && sigaddset(&action.sa_mask, signo) != 0)
		return SIG_ERR;
	if (profil_signal_action(signo, &action, &old) != 0)
		return SIG_ERR;
	return old.sa_handler;
}

static handler_fn *own_signal(int signo, handler_fn *handler)
{
#if defined(__GLIBC__)
	bool interrupts = signo > 0 && signo < 64 &&
			  interrupting >> signo & 1;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return set_action(signo, handler, interrupts ? 0 : SA_RESTART, true);
#else
	return set_action(signo, handler, SA_RESTART, false);
#endif
}

static handler_fn *own_sigset(int signo, handler_fn *handler)
{
	struct sigaction old;
	sigset_t this, blocked;

	sigemptyset(&this);
	if (sigaddset(&this, signo) != 0)
		return SIG_ERR;
	if (handler == SIG_HOLD) {
		if (profil_signal_action(signo, NULL, &old) != 0 ||
		    sigprocmask(SIG_BLOCK, &this, &blocked) != 0)
			return SIG_ERR;
	} else {
		old.sa_handler = set_action(signo, handler, 0, false);
		if (old.sa_handler == SIG_ERR ||
		    sigprocmask(SIG_UNBLOCK, &this, &blocked) != 0)
			return SIG_ERR;
	}
	return sigismember(&blocked, signo) ? SIG_HOLD : old.sa_handler;
}

static handler_fn *call_next(const char *name, void **found,
			     handler_fn *(*own)(int signo, handler_fn *handler),
			     int signo, handler_fn *handler)
{
#if defined(STATIC)
	(void)name;
	(void)found;
#else
	if (!profil_signal_is_held(signo))
		own = profil_next(name, found);
#endif
	return own(signo, handler);
}

static void *found_signal, *found_sigset;
#if !defined(STATIC)
static void *found_siginterrupt;
#endif

STANDS_IN handler_fn *signal(int signo, handler_fn *handler)
{
	return call_next("signal", &found_signal, own_signal, signo, handler);
}

handler_fn *bsd_signal(int signo, handler_fn *handler) STANDS_IN_AS(signal);

STANDS_IN handler_fn *sigset(int signo, handler_fn *handler)
{
	return call_next("sigset", &found_sigset, own_sigset, signo, handler);
}

static int own_siginterrupt(int signo, int interrupt)
{
	struct sigaction action;

	if (profil_signal_action(signo, NULL, &action) != 0)
		return -1;
	if (interrupt)
		action.sa_flags &= ~SA_RESTART;
	else
		action.sa_flags |= SA_RESTART;
	return profil_signal_action(signo, &action, NULL);
}

STANDS_IN int siginterrupt(int signo, int interrupt)
{
	int (*next)(int signo, int interrupt) = own_siginterrupt;
	uint64_t bit = (uint64_t)1 << (signo & 63);

#if !defined(STATIC)
	if (!profil_signal_is_held(signo))
		next = profil_next("siginterrupt", &found_siginterrupt);
#endif
	if (next(signo, interrupt) != 0)
		return -1;
	if (interrupt)
		__atomic_fetch_or(&interrupting, bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&interrupting, ~bit, __ATOMIC_RELAXED);
	return 0;
}

#if defined(__GLIBC__)
static void *found_sysv_signal;

#if !defined(STATIC)
int __sigaction(int signo, const struct sigaction *action,
		struct sigaction *old) STANDS_IN_AS(sigaction);
#endif

handler_fn *ssignal(int signo, handler_fn *handler) STANDS_IN_AS(signal);

static handler_fn *own_sysv_signal(int signo, handler_fn *handler)
{
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return set_action(signo, handler,
			  SA_RESETHAND | SA_NODEFER | SA_INTERRUPT, false);
}

STANDS_IN handler_fn *__sysv_signal(int signo, handler_fn *handler)
{
	return call_next("__sysv_signal", &found_sysv_signal, own_sysv_signal,
			 signo, handler);
}

handler_fn *sysv_signal(int signo, handler_fn *handler)
	STANDS_IN_AS(__sysv_signal);
#else
handler_fn *__sysv_signal(int signo, handler_fn *handler) STANDS_IN_AS(signal);
#endif

#if !defined(STATIC)
static __attribute__((constructor)) void find_next_calls(void)
{
	profil_next("sigaction", &found_sigaction);
	profil_next("signal", &found_signal);
	profil_next("sigset", &found_sigset);
	profil_next("siginterrupt", &found_siginterrupt);
#if defined(__GLIBC__)
	profil_next("__sysv_signal", &found_sysv_signal);
#endif
}
#endif
