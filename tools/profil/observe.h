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

/* Two times of CLOCK_MONOTONIC, between which a sample was taken. */
struct between {
	int64_t since_ns, until_ns;
};

struct observer {
	int fd;
	const struct profil_map *map;
	size_t size;
	struct books books;	/* of all halves that were read */
	uint64_t untold;	/* ends and threads without a record */
	struct between at;	/* the half that is told */
	uint32_t followed;	/* processes, at the last swap */
	uint32_t depth;		/* of call paths; 1: there are none */
};

#define DEPTH_MAX	255

/* A sample's pcs, the innermost first, which may have PROFIL_NODE_KERNEL. */
struct observe_path {
	uint64_t pcs[DEPTH_MAX + 2];	/* with its end and its thread, at first */
	size_t nr;
	unsigned int end;	/* PROFIL_PATH_*, or 0: a pc alone */
};

/* What a quiet half holds; counts are told last. */
struct observe_calls {
	void (*image)(void *arg, const struct profil_image *image);
	void (*thread)(void *arg, const struct profil_thread *thread);
	void (*end)(void *arg, const struct profil_end *end);
	void (*count)(void *arg, uint32_t image, uint64_t thread,
		      const struct observe_path *path, uint32_t count);
};

/*
 * Opens the device and makes an observer, of call paths where the kernel can;
 * else says why not and what to do, and returns -1.
 */
int observe_open(struct observer *o, uint32_t rate, bool paths);
void observe_close(struct observer *o);

/* Each returns 0 or an errno. */
int observe_join_self(const struct observer *o, bool follow_forks);
int observe_join_mem(const struct observer *o, pid_t pid, int mem,
		     bool follow_forks);

/* PROFIL_IOC_UNWIND; each returns 0 or an errno. */
int observe_give_object(const struct observer *o, const void *bytes,
			size_t size, uint32_t *id);
void observe_drop_object(const struct observer *o, uint32_t id);
int observe_give_maps(const struct observer *o, uint32_t image, int mem,
		      const struct profil_unwind_map *maps, size_t nr);

/* Swaps the halves and tells what was counted in the quiet one; -1: errno. */
int observe_swap(struct observer *o, const struct observe_calls *calls,
		 void *arg);

#endif /* PROFIL_OBSERVE_H */
