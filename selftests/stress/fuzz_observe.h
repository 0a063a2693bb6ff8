/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer's observers: each thread may have one.  A forked child shares that
 * of its parent, and joins, swaps and closes it on its own.
 */
#ifndef PROFIL_FUZZ_OBSERVE_H
#define PROFIL_FUZZ_OBSERVE_H

#include "fuzz_calls.h"
#include "observe_test.h"

struct fuzz_observer {
	bool on;
	int fd;
	bool shared;		/* another process may swap it, too */
	struct profil_map *map;	/* not in a child, which it is not copied to */
	size_t size;
};

static __thread struct fuzz_observer fuzz_observer;

static inline void fuzz_observer_forked(void)
{
	fuzz_observer.map = NULL;
	fuzz_observer.shared = true;
}

static inline void fuzz_observer_close(struct fuzz *f)
{
	if (!fuzz_observer.on)
		return;
	/* A mapping keeps the table. */
	if (one_in(f, 2)) {
		close(fuzz_observer.fd);
		fuzz_observer.fd = -1;
	}
	if (fuzz_observer.map)
		munmap(fuzz_observer.map, fuzz_observer.size);
	if (fuzz_observer.fd >= 0)
		close(fuzz_observer.fd);
	memset(&fuzz_observer, 0, sizeof(fuzz_observer));
	fuzz_step(f, "unobserve", 0);
}

static inline void fuzz_observe(struct fuzz *f)
{
	bool spoil = one_in(f, 2);
	union {
		struct profil_observe observe;
		char bytes[FUZZ_ARGUMENT];
	} arg = { .bytes = "" };
	void *map;
	int fd;

	fuzz_observer_close(f);
	fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	arg.observe = (struct profil_observe) {
		.size = sizeof(arg.observe),
		.flags = below(f, 4),
		.rate_hz = 1 + below(f, 10000),
		.nodes = 1 + below(f, 1U << below(f, 13)),
		.images = 1 + below(f, 64),
	};
	if (fuzz_ioctl_on(f, fd, "observe", PROFIL_IOC_OBSERVE, &arg,
			  sizeof(arg.observe), spoil)) {
		close(fd);
		return;
	}
	fuzz_observer.on = true;
	fuzz_observer.fd = fd;
	if (spoil)
		return;
	map = mmap(NULL, arg.observe.map_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return;
	fuzz_observer.map = map;
	fuzz_observer.size = arg.observe.map_size;
}

static inline void fuzz_join(struct fuzz *f)
{
	const pid_t pids[] = { 0, 0, getpid(), getppid(), 1, below(f, 1000) };
	pid_t pid = pids[below(f, sizeof(pids) / sizeof(*pids))];
	union {
		struct profil_join join;
		char bytes[FUZZ_ARGUMENT];
	} arg = { .bytes = "" };
	int mem = pid ? open_mem(one_in(f, 6) ? getpid() : pid) : -1;

	arg.join = (struct profil_join) {
		.size = sizeof(arg.join),
		.flags = below(f, 2),
		.pid = pid,
		.fd = mem >= 0 ? mem : pid ? f->device : 0,
	};
	fuzz_ioctl_on(f, fuzz_observer.fd, "join", PROFIL_IOC_JOIN, &arg,
		      sizeof(arg.join), one_in(f, 4));
	if (mem >= 0)
		close(mem);
}

/* The half is this thread's alone to swap, so it stays quiet. */
static inline void fuzz_judge_half(struct fuzz *f, const struct profil_half *half)
{
	const struct profil_map *map = fuzz_observer.map;
	const struct profil_node *nodes = (void *)half + map->nodes_at;
	uint64_t sum = 0;
	uint32_t i;

	if (half->nr_nodes > map->nodes || half->nr_images > map->images ||
	    half->nr_ends > map->ends || half->nr_threads > map->threads)
		fuzz_fail(f, "a half with more than there is room for");
	for (i = 0; i < half->nr_nodes; i++) {
		sum += nodes[i].count;
		if (!(nodes[i].from & PROFIL_NODE_IMAGE) && nodes[i].from >= i)
			fuzz_fail(f, "node %u is from %u", i, nodes[i].from);
		if ((nodes[i].pc & ~PROFIL_NODE_KERNEL) >> 62)
			fuzz_fail(f, "a pc of %#llx",
				  (unsigned long long)nodes[i].pc);
	}
	if (sum != half->counted ||
	    half->seen != half->counted + half->unplaced + half->refused +
			  half->lost)
		fuzz_fail(f, "of %llu seen %llu are counted, nodes have %llu",
			  (unsigned long long)half->seen,
			  (unsigned long long)half->counted,
			  (unsigned long long)sum);
}

static inline void fuzz_swap(struct fuzz *f)
{
	struct profil_map *map = fuzz_observer.map;
	bool spoil = one_in(f, 4);
	union {
		struct profil_swap swap;
		char bytes[FUZZ_ARGUMENT];
	} arg = { .swap = { .size = sizeof(arg.swap) } };
	uint32_t cpu;

	if (fuzz_ioctl_on(f, fuzz_observer.fd, "swap", PROFIL_IOC_SWAP, &arg,
			  sizeof(arg.swap), spoil))
		return;
	if (spoil || !map || fuzz_observer.shared)
		return;
	for (cpu = 0; cpu < map->nr_cpus; cpu++)
		fuzz_judge_half(f, (void *)map + map->halves +
				   (2 * cpu + arg.swap.quiet) * map->half_size);
}

static inline void fuzz_observer_step(struct fuzz *f)
{
	struct pollfd wake = { .fd = fuzz_observer.fd, .events = POLLIN };

	if (!fuzz_observer.on || one_in(f, 10)) {
		fuzz_observe(f);
		return;
	}
	switch (below(f, 4)) {
	case 0:
		fuzz_join(f);
		break;
	case 1:
		poll(&wake, 1, 1);
		break;
	default:
		fuzz_swap(f);
	}
}

#endif /* PROFIL_FUZZ_OBSERVE_H */
