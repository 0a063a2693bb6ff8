/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer's steps.  Some begin or end processes and threads, which take
 * their own steps.
 */
#ifndef PROFIL_FUZZ_PROCESS_H
#define PROFIL_FUZZ_PROCESS_H

#include <sched.h>
#include <signal.h>
#include <spawn.h>

#include "fuzz_calls.h"
#include "fuzz_memory.h"
#include "fuzz_observe.h"
#include "rseq_test.h"

#define FUZZ_DEPTH	2

static inline void fuzz_do_steps(struct fuzz *f, unsigned int n);

/* Another thread's or process's numbers are its own. */
static inline struct fuzz fuzz_fork_state(struct fuzz *f)
{
	struct fuzz new = *f;

	fuzz_seed(&new, f->seed);
	new.random ^= random64(f) | 1;
	return new;
}

__attribute__((noreturn))
static inline void fuzz_end(struct fuzz *f)
{
	static char *const argv[] = { "/bin/true", NULL };

	switch (below(f, 5)) {
	case 0:
		execv(argv[0], argv);
		break;
	case 1:
		kill(getpid(), SIGKILL);
		break;
	case 2:
		raise(SIGSEGV);
		break;
	case 3:
		hot_a(below(f, 3000000));
		break;
	}
	_exit(0);
}

static inline void fuzz_fork_child(struct fuzz *f)
{
	bool kill_it = one_in(f, 3);
	struct fuzz child;
	pid_t pid;

	if (f->depth == FUZZ_DEPTH)
		return;
	child = fuzz_fork_state(f);
	fuzz_observer.shared = true;
	pid = fork();
	if (!pid) {
		fuzz_observer_forked();
		child.depth++;
		child.alone = true;
		fuzz_do_steps(&child, below(&child, 20));
		while (kill_it && one_in(&child, 2))
			hot_b(below(&child, 3000000));
		fuzz_end(&child);
	}
	fuzz_step(f, "fork", pid < 0 ? errno : 0);
	if (pid < 0)
		return;
	if (kill_it) {
		usleep(below(f, 20000));
		kill(pid, SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static inline int fuzz_sharer(void *arg)
{
	struct fuzz *f = arg, child = fuzz_fork_state(f);
	struct fuzz_observer before = fuzz_observer;

	/* It has the thread's variables, but may have descriptors of its own. */
	memset(&fuzz_observer, 0, sizeof(fuzz_observer));
	child.depth = FUZZ_DEPTH;
	child.alone = false;
	fuzz_do_steps(&child, below(&child, 10));
	fuzz_observer_close(&child);
	fuzz_observer = before;
	if (!f->depth)
		f->device = child.device;
	return 0;
}

/* A process in the same memory; the thread that made it waits. */
static inline void fuzz_share_memory(struct fuzz *f)
{
	static __thread char stack[256 * 1024] __attribute__((aligned(64)));
	static char *const argv[] = { "/bin/true", NULL };
	int flags = one_in(f, 2) ? CLONE_VFORK : 0;
	pid_t pid;

	/* Or it would keep open the userfaultfd that it waits for. */
	if (!f->depth)
		flags |= CLONE_FILES;
	/* The stack may be the one that this runs on. */
	if (f->depth == FUZZ_DEPTH)
		return;
	if (one_in(f, 2)) {
		if (posix_spawn(&pid, argv[0], NULL, NULL, argv, argv + 1))
			return;
	} else {
		pid = clone(fuzz_sharer, stack + sizeof(stack),
			    CLONE_VM | SIGCHLD | flags, f);
	}
	fuzz_step(f, "clone", pid < 0 ? errno : 0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static inline void *fuzz_short_thread(void *arg)
{
	struct fuzz *f = arg;

	fuzz_do_steps(f, below(f, 6));
	fuzz_observer_close(f);
	return NULL;
}

static inline void fuzz_start_thread(struct fuzz *f)
{
	struct fuzz child;
	pthread_t thread;

	if (f->depth == FUZZ_DEPTH)
		return;
	child = fuzz_fork_state(f);
	child.depth = FUZZ_DEPTH;
	if (pthread_create(&thread, NULL, fuzz_short_thread, &child))
		return;
	pthread_join(thread, NULL);
	f->device = child.device;
	fuzz_step(f, "thread", 0);
}

static inline void fuzz_do(struct fuzz *f)
{
	switch (below(f, 19)) {
	case 16:
	case 17:
	case 18:
		fuzz_observer_step(f);
		break;
	case 0:
	case 1:
	case 2:
		fuzz_set(f);
		break;
	case 3:
	case 4:
		fuzz_answer(f);
		break;
	case 5:
		one_in(f, 2) ? fuzz_info(f) : fuzz_device(f);
		break;
	case 6:
		fuzz_fork_child(f);
		break;
	case 7:
		fuzz_share_memory(f);
		break;
	case 8:
		fuzz_start_thread(f);
		break;
	case 9:
		hot_a(below(f, 400000));
		break;
	case 10:
		hot_b(below(f, 400000));
		break;
	default:
		fuzz_memory(f);
	}
}

static inline void fuzz_do_steps(struct fuzz *f, unsigned int n)
{
	f->nth = -1;
	if (f->poor) {
		no_rseq();
		f->nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	}
	while (n--)
		fuzz_do(f);
	if (f->nth >= 0)
		close(f->nth);
}

#endif /* PROFIL_FUZZ_PROCESS_H */
