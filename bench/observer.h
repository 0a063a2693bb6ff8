/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An observer, as the programs of the benchmark use it: opened, joined, swapped.
 */
#ifndef OBSERVER_H
#define OBSERVER_H

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <profil/ioctl.h>

#include "work.h"

#define NODES	65536		/* as many as there may be */

struct observer {
	int fd;
	struct profil_map *map;
	struct profil_half sum;	/* of the halves that were read */
};

/* What is done with each node of a half that is quiet. */
typedef void see_node(void *data, const struct profil_node *nodes, uint32_t i);

static inline void observer_open(struct observer *observer, uint32_t rate_hz,
				 uint32_t depth)
{
	struct profil_observe args = {
		.size = sizeof(args),
		.rate_hz = rate_hz,
		.nodes = NODES,
		.images = 256,
		.depth = depth,
	};

	memset(observer, 0, sizeof(*observer));
	observer->fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (observer->fd < 0 || ioctl(observer->fd, PROFIL_IOC_OBSERVE, &args))
		die(PROFIL_DEVICE);
	observer->map = mmap(NULL, args.map_size, PROT_READ, MAP_SHARED,
			     observer->fd, 0);
	if (observer->map == MAP_FAILED)
		die("mmap");
}

static inline void observer_join(const struct observer *observer)
{
	struct profil_join self = { .size = sizeof(self) };

	if (ioctl(observer->fd, PROFIL_IOC_JOIN, &self))
		die("join");
}

/* The half that becomes quiet, of the first CPU: a guest that counts has one. */
static inline struct profil_half *observer_swap(struct observer *observer)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	struct profil_half *half;

	if (ioctl(observer->fd, PROFIL_IOC_SWAP, &swap))
		die("swap");
	half = (void *)observer->map + observer->map->halves +
	       swap.quiet * observer->map->half_size;
	observer->sum.seen += half->seen;
	observer->sum.counted += half->counted;
	observer->sum.unplaced += half->unplaced;
	observer->sum.refused += half->refused;
	observer->sum.lost += half->lost;
	observer->sum.no_room += half->no_room;
	return half;
}

static inline void observer_read(struct observer *observer, see_node *see,
				 void *data)
{
	struct profil_half *half = observer_swap(observer);
	uint32_t i;

	for (i = 0; i < half->nr_nodes; i++)
		see(data, (void *)half + observer->map->nodes_at, i);
}

#endif /* OBSERVER_H */
