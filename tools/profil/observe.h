/* SPDX-License-Identifier: MIT */
/* An observer of /dev/profil: opened, joined, and its halves folded. */
#ifndef PROFIL_OBSERVE_H
#define PROFIL_OBSERVE_H

#include <profil/ioctl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model.h"

#define SWAP_MS	200		/* between two swaps, if nothing wakes */

struct observer {
	int fd;
	const struct profil_map *map;
	size_t size;
	struct books books;	/* of all halves that were read */
	uint64_t untold;	/* ends and threads without a record */
	uint32_t followed;	/* processes, at the last swap */
};

/* What a quiet half holds; counts are told last. */
struct observe_calls {
	void (*image)(void *arg, const struct profil_image *image);
	void (*thread)(void *arg, const struct profil_thread *thread);
	void (*end)(void *arg, const struct profil_end *end);
	void (*count)(void *arg, uint32_t image, uint64_t thread, uint64_t pc,
		      uint32_t count);
};

/*
 * Opens the device and makes an observer; else says why not and what to do,
 * and returns -1.
 */
int observe_open(struct observer *o, uint32_t rate);
void observe_close(struct observer *o);

/* Each returns 0 or an errno. */
int observe_join_self(const struct observer *o, bool follow_forks);
int observe_join_mem(const struct observer *o, pid_t pid, int mem,
		     bool follow_forks);

/* Swaps the halves and tells what was counted in the quiet one; -1: errno. */
int observe_swap(struct observer *o, const struct observe_calls *calls,
		 void *arg);

#endif /* PROFIL_OBSERVE_H */
