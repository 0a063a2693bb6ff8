/* SPDX-License-Identifier: MIT */
/* Threads, by the numbers that the kernel gave them, and their times. */
#ifndef PROFIL_THREADS_H
#define PROFIL_THREADS_H

#include <profil/ioctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Times are since the thread began, or the recording if it is younger. */
struct thread_usage {
	uint64_t cpu_ns;
	uint64_t wait_ns;	/* runnable, but not on a CPU */
	uint64_t read_ns;	/* CPU time by when wait_ns was read; 0: never */
};

/* A thread in one image: after an exec it is another. */
struct thread {
	uint64_t number;
	uint32_t image;
	int32_t tid;
	char comm[16];
	char earlier[16];	/* the name before that one, or "" */
	bool ended, sampled;
	struct thread_usage begin, now;
	uint64_t exec_ns;	/* CPU time of the image, if exec ended it */
};

void threads_told(const struct profil_thread *record);
/* An image ended by exec; it had this one thread. */
void threads_executed(uint64_t number, const struct profil_end *end);
/* NULL: there was no record of it.  Notes that it has a sample. */
const struct thread *threads_find(uint64_t number, uint32_t image);

/* What the threads of a process have used by now does not count. */
void threads_begin(pid_t pid);
/* Reads the waiting time of those that were told of since the last call. */
void threads_read(void);
/* The same of all that live, whatever it costs. */
void threads_read_all(void);
/* Frees what is known of those that have ended, with their process or before. */
void threads_forget(void);
/* Tells of each thread what it used while it was recorded. */
void threads_sum(void (*tell)(void *arg, const struct thread *thread,
			      const struct thread_usage *used), void *arg);

#endif /* PROFIL_THREADS_H */
