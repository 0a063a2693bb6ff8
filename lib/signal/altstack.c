// SPDX-License-Identifier: MIT
/*
 * The stack for the handler of a fault that comes because the stack is full.
 * The program does not see it, and one that the program sets is used instead.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "signal/signals.h"

static stack_t ours;
/* Of the thread that has it: a handler may ask. */
static __thread bool here __attribute__((tls_model("initial-exec")));

#if defined(__PIE__)
static int next_sigaltstack(const stack_t *stack, stack_t *old)
{
#if !defined(__GLIBC__)
	/* As musl has it. */
	if (stack && (stack->ss_flags & SS_ONSTACK)) {
		errno = EINVAL;
		return -1;
	}
	if (stack && !(stack->ss_flags & SS_DISABLE) &&
	    stack->ss_size < MINSIGSTKSZ) {
		errno = ENOMEM;
		return -1;
	}
#endif
	return (int)syscall(SYS_sigaltstack, stack, old);
}
#else
static void *found_sigaltstack;

static int next_sigaltstack(const stack_t *stack, stack_t *old)
{
	int (*next)(const stack_t *stack, stack_t *old) =
		profil_next("sigaltstack", &found_sigaltstack);

	return next(stack, old);
}

static __attribute__((constructor)) void find_next(void)
{
	profil_next("sigaltstack", &found_sigaltstack);
}
#endif

STANDS_IN int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	int ret;

	if (here && stack && stack->ss_flags == SS_DISABLE)
		stack = &ours;
	ret = next_sigaltstack(stack, old);
	if (ret == 0 && here && old && old->ss_sp == ours.ss_sp) {
		old->ss_sp = NULL;
		old->ss_size = 0;
		old->ss_flags = SS_DISABLE;
	}
	return ret;
}

void profil_altstack_set(void *base, size_t size)
{
	ours.ss_sp = base;
	ours.ss_size = size;
	here = next_sigaltstack(&ours, NULL) == 0;
}

void profil_altstack_drop(void)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	int saved = errno;
	stack_t now;

	if (here && next_sigaltstack(NULL, &now) == 0 &&
	    now.ss_sp == ours.ss_sp && next_sigaltstack(&none, NULL) == 0)
		here = false;
	errno = saved;
}
