/* SPDX-License-Identifier: MIT */
/* Threads, by the numbers that the kernel gave them. */
#ifndef PROFIL_THREADS_H
#define PROFIL_THREADS_H

#include <profil/ioctl.h>
#include <stdint.h>

struct thread {
	uint64_t number;
	int32_t tid;
	char comm[16];
};

void threads_told(const struct profil_thread *record);
/* NULL: there was no record of it. */
const struct thread *threads_find(uint64_t number);

#endif /* PROFIL_THREADS_H */
