// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer of each thread's own CPU time, with SIGPROF to that thread.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sampler.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct counts here;

static void handler(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *user = context;
	uint64_t d = user->uc_mcontext.gregs[REG_RIP] - (uintptr_t)work_text;

	(void)signal;
	(void)info;
	if (d < TEXT)
		__atomic_fetch_add(&here.in[d / SLOT], 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&here.outside, 1, __ATOMIC_RELAXED);
}

static void timer_thread(void)
{
	static const struct itimerspec tick = {
		.it_interval.tv_nsec = TICK,
		.it_value.tv_nsec = TICK,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGPROF,
	};
	timer_t timer;

	event.sigev_notify_thread_id = syscall(SYS_gettid);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) ||
	    timer_settime(timer, 0, &tick, NULL))
		die("timer_create");
}

static void timer_start(void)
{
	struct sigaction action = {
		.sa_sigaction = handler,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};

	memset(&here, 0, sizeof(here));
	if (sigaction(SIGPROF, &action, NULL))
		die("sigaction");
	timer_thread();
}

static void timer_read(struct counts *counts)
{
	*counts = here;
}

/* The process ends next, and its timers with it. */
static void timer_stop(void)
{
	signal(SIGPROF, SIG_IGN);
}

const struct sampler sampler_timer = {
	.name = "thread-timer",
	.start = timer_start,
	.thread = timer_thread,
	.read = timer_read,
	.stop = timer_stop,
};
