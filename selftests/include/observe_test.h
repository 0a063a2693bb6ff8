/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An observer, as a tool uses it: opened, mapped, swapped, and folded into sums.
 */
#ifndef PROFIL_OBSERVE_TEST_H
#define PROFIL_OBSERVE_TEST_H

#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

#include "profil_test.h"

#define IMAGES	4096

struct observer {
	int fd;
	struct profil_map *map;
	size_t size;
	struct profil_half sum;		/* of all halves that were quiet */
	uint64_t counts;		/* of their nodes */
	uint64_t hot;			/* of these in hot_a() and hot_b() */
	uint64_t kernel;		/* taken in the kernel */
	bool balanced;
	uint32_t nr_images;
	struct profil_image image[IMAGES];
	uint64_t by_image[IMAGES];
	uint64_t in_user[IMAGES];	/* of these not in the kernel */
	uint32_t nr_ends;
	struct profil_end end[IMAGES];
};

static inline struct profil_observe observe_args(uint32_t rate_hz)
{
	return (struct profil_observe) {
		.size = sizeof(struct profil_observe),
		.rate_hz = rate_hz,
		.nodes = 4096,
		.images = 128,
	};
}

/* The highest rate that this caller may have, or 0. */
static inline uint32_t observe_max_rate(void)
{
	struct profil_info info = { .size = sizeof(info) };
	int fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	int err = ioctl(fd, PROFIL_IOC_INFO, &info);

	close(fd);
	return err ? 0 : info.max_rate_hz;
}

/*
 * For each test that asks for more than the tick's rate, which a kernel with
 * highres=off does not have.  The harness would go on to the test.
 */
#define NEED_FINE_TIMERS()						\
	do {								\
		if (observe_max_rate() <= (uint32_t)sysconf(_SC_CLK_TCK) * 10) \
			SKIP(_exit(255), "timers have the tick's resolution"); \
	} while (0)

static inline int observe_fd(int fd, struct profil_observe *args)
{
	return ioctl(fd, PROFIL_IOC_OBSERVE, args) ? errno : 0;
}

/* 0 or an errno. */
static inline int observe_open_with(struct observer *o,
				    struct profil_observe *args)
{
	int err;

	memset(o, 0, sizeof(*o));
	o->balanced = true;
	o->fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	err = o->fd < 0 ? errno : observe_fd(o->fd, args);
	if (err)
		return err;
	o->size = args->map_size;
	o->map = mmap(NULL, o->size, PROT_READ, MAP_SHARED, o->fd, 0);
	return o->map == MAP_FAILED ? errno : 0;
}

static inline int observe_open(struct observer *o, uint32_t rate_hz,
			       uint32_t flags)
{
	struct profil_observe args = observe_args(rate_hz);

	args.flags = flags;
	return observe_open_with(o, &args);
}

static inline void observe_close(struct observer *o)
{
	close(o->fd);
	munmap(o->map, o->size);
}

static inline int observe_join(int observer, pid_t pid, int fd, uint32_t flags)
{
	struct profil_join join = {
		.size = sizeof(join),
		.flags = flags,
		.pid = pid,
		.fd = fd,
	};

	return ioctl(observer, PROFIL_IOC_JOIN, &join) ? errno : 0;
}

static inline int open_mem(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/mem", pid);
	return open(name, O_RDONLY | O_CLOEXEC);
}

/* Another process: 0 or an errno, -1 if its memory can't be opened. */
static inline int observe_join_pid(int observer, pid_t pid)
{
	int fd = open_mem(pid);
	int err = -1;

	if (fd >= 0) {
		err = observe_join(observer, pid, fd, 0);
		close(fd);
	}
	return err;
}

static inline uint32_t image_of(const struct profil_node *nodes, uint32_t i)
{
	while (!(nodes[i].from & PROFIL_NODE_IMAGE))
		i = nodes[i].from;
	return nodes[i].from & ~PROFIL_NODE_IMAGE;
}

static inline void fold_nodes(struct observer *o, struct profil_half *half)
{
	struct profil_node *nodes = (void *)half + o->map->nodes_at;
	uint64_t sum = 0, pc;
	uint32_t i, image;

	for (i = 0; i < half->nr_nodes; i++) {
		pc = nodes[i].pc & ~PROFIL_NODE_KERNEL;
		sum += nodes[i].count;
		if (nodes[i].pc != pc)
			o->kernel += nodes[i].count;
		else if (pc >= addr(__start_hot) && pc < addr(__stop_hot))
			o->hot += nodes[i].count;
		image = image_of(nodes, i);
		if (image >= IMAGES)
			continue;
		o->by_image[image] += nodes[i].count;
		if (nodes[i].pc == pc)
			o->in_user[image] += nodes[i].count;
	}
	o->counts += sum;
	if (sum != half->counted || half->seen != half->counted +
	    half->unplaced + half->refused + half->lost)
		o->balanced = false;
}

static inline void fold_half(struct observer *o, struct profil_half *half)
{
	struct profil_image *images = (void *)half + o->map->images_at;
	struct profil_end *ends = (void *)half + o->map->ends_at;
	uint32_t i;

	fold_nodes(o, half);
	for (i = 0; i < half->nr_images && o->nr_images < IMAGES; i++)
		o->image[o->nr_images++] = images[i];
	for (i = 0; i < half->nr_ends && o->nr_ends < IMAGES; i++)
		o->end[o->nr_ends++] = ends[i];
	o->sum.seen += half->seen;
	o->sum.counted += half->counted;
	o->sum.unplaced += half->unplaced;
	o->sum.refused += half->refused;
	o->sum.lost += half->lost;
	o->sum.left += half->left;
	o->sum.not_followed += half->not_followed;
	o->sum.untold += half->untold;
}

static inline int observe_swap(struct observer *o)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	uint32_t cpu;

	if (ioctl(o->fd, PROFIL_IOC_SWAP, &swap))
		return errno;
	for (cpu = 0; cpu < o->map->nr_cpus; cpu++)
		fold_half(o, (void *)o->map + o->map->halves +
			     (2 * cpu + swap.quiet) * o->map->half_size);
	return 0;
}

/* All that there is: both halves. */
static inline int observe_read(struct observer *o)
{
	int err = observe_swap(o);

	return err ? err : observe_swap(o);
}

static inline uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline uint64_t monotonic_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static inline void burn_ms(unsigned int ms)
{
	uint64_t end = cpu_ns() + ms * 1000000ULL;

	while (cpu_ns() < end)
		hot_a(20000);
}

/* A child that joins itself and then calls what it is given. */
static inline pid_t observe_start(struct observer *o, uint32_t flags, void (*what)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (observe_join(o->fd, 0, 0, flags))
		_exit(1);
	if (what)
		what();
	else
		burn_ms(300);
	_exit(0);
}

/* A user without capabilities, dumpable as after an exec. */
static inline int become_user(uid_t uid)
{
	return setgid(uid) || setuid(uid) || prctl(PR_SET_DUMPABLE, 1);
}

/* Ends a child with the line in which it saw what it should not. */
#define FAIL_UNLESS(condition)			\
do {						\
	if (!(condition))			\
		_exit(__LINE__ % 255 + 1);	\
} while (0)

static inline bool has_image(const struct observer *o, const char *comm,
			     uint32_t how)
{
	uint32_t i;

	for (i = 0; i < o->nr_images; i++)
		if (!strcmp(o->image[i].comm, comm) && o->image[i].how == how)
			return true;
	return false;
}

#endif /* PROFIL_OBSERVE_TEST_H */
