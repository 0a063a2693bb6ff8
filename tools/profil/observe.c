// SPDX-License-Identifier: MIT
/*
 * The observer: what the kernel counts is read here, and nowhere else.
 *
 * The kernel writes one half of the table while the other is quiet.  A swap
 * makes the written half quiet, so that it can be read without a lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "observe.h"
#include "util.h"

#define WAYS_OUT \
	"\n  on this machine:  install profil-dkms, then: sudo modprobe profil" \
	"\n  in a container:   start it with --device /dev/profil" \
	"\n  without rights:   only programs built with -pg, by libprofil(7)"

static void say_no_device(int err)
{
	if (err == EACCES || err == EPERM)
		warn("%s: %s: ask the administrator for access (a udev rule, or a container's device list)",
		     PROFIL_DEVICE, strerror(err));
	else if (err == EMFILE || err == ENFILE || err == ENOMEM)
		warn("%s: %s", PROFIL_DEVICE, strerror(err));
	else
		fputs("profil: " PROFIL_DEVICE
		      " is missing: the kernel module is not loaded." WAYS_OUT
		      "\n", stderr);
}

static void say_no_observer(int err, uint32_t rate, uint32_t max_rate)
{
	switch (err) {
	case EPERM:
		warn("-r %u: at most %u samples a second are allowed to you",
		     rate, max_rate);
		break;
	case ENOMEM:
		warn("no memory for the table of samples: raise RLIMIT_MEMLOCK (ulimit -l), or lower -r");
		break;
	case EAGAIN:
		warn("too many observers of this user: end another profil run or attach");
		break;
	case EOPNOTSUPP:
		warn("-r %u: this machine has no high-resolution timers: try -r 100",
		     rate);
		break;
	default:
		warn("%s: PROFIL_IOC_OBSERVE: %s", PROFIL_DEVICE,
		     strerror(err));
	}
}

/* Each half begins empty, so that all of a path is new in it. */
#define PATH_NODES	8192

/* So that a half with paths needs no RLIMIT_MEMLOCK either. */
#define PATH_IMAGES	48
#define IMAGES		128

static uint32_t power_of_two(uint64_t least)
{
	uint32_t n = 512;

	while (n < least)
		n *= 2;
	return n;
}

/* With call paths, if there is memory for them. */
static int start_observer(struct observer *o, struct profil_observe *args,
			  const struct profil_info *info, bool paths)
{
	const uint32_t nodes = args->nodes;

	if (paths && info->features & PROFIL_FEAT_PATHS) {
		args->depth = info->max_depth < DEPTH_MAX ? info->max_depth :
							    DEPTH_MAX;
		args->nodes = nodes < PATH_NODES ? PATH_NODES : nodes;
		args->images = PATH_IMAGES;
		o->depth = args->depth;
		if (!ioctl(o->fd, PROFIL_IOC_OBSERVE, args))
			return 0;
		if (errno != ENOMEM)
			return -1;
		warn("no memory for call paths: raise RLIMIT_MEMLOCK (ulimit -l); recording without");
	}
	args->nodes = nodes;
	args->images = IMAGES;
	args->depth = 1;
	o->depth = 1;
	return ioctl(o->fd, PROFIL_IOC_OBSERVE, args);
}

static int make_observer(struct observer *o, uint32_t rate, bool paths)
{
	struct profil_info info = { .size = sizeof(info) };
	struct profil_observe args = { .size = sizeof(args) };
	uint32_t nodes;

	if (ioctl(o->fd, PROFIL_IOC_INFO, &info) ||
	    !(info.features & PROFIL_FEAT_OBSERVE)) {
		warn("the loaded module can't observe programs: install this version of profil-dkms, then: sudo modprobe -r profil; sudo modprobe profil");
		return -1;
	}
	/* A sample needs at most a node for the thread and one for the pc. */
	nodes = power_of_two(4ull * rate * SWAP_MS / 1000);
	args.flags = PROFIL_OBSERVE_F_THREADS;
	args.rate_hz = rate;
	args.nodes = nodes < info.max_nodes ? nodes : info.max_nodes;
	if (start_observer(o, &args, &info, paths)) {
		say_no_observer(errno, rate, info.max_rate_hz);
		return -1;
	}
	o->size = args.map_size;
	o->map = mmap(NULL, o->size, PROT_READ, MAP_SHARED, o->fd, 0);
	if (o->map == MAP_FAILED) {
		warn("%s: mmap: %s", PROFIL_DEVICE, strerror(errno));
		return -1;
	}
	return 0;
}

int observe_open(struct observer *o, uint32_t rate, bool paths)
{
	memset(o, 0, sizeof(*o));
	o->fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (o->fd < 0) {
		say_no_device(errno);
		return -1;
	}
	if (make_observer(o, rate, paths)) {
		close(o->fd);
		return -1;
	}
	return 0;
}

void observe_close(struct observer *o)
{
	munmap((void *)o->map, o->size);
	close(o->fd);
}

static int join_observer(const struct observer *o, pid_t pid, int mem,
			 bool follow_forks)
{
	struct profil_join args = {
		.size = sizeof(args),
		.flags = follow_forks ? 0 : PROFIL_JOIN_F_NO_FORK,
		.pid = pid,
		.fd = mem,
	};

	return ioctl(o->fd, PROFIL_IOC_JOIN, &args) ? errno : 0;
}

int observe_join_self(const struct observer *o, bool follow_forks)
{
	return join_observer(o, 0, 0, follow_forks);
}

int observe_join_mem(const struct observer *o, pid_t pid, int mem,
		     bool follow_forks)
{
	return join_observer(o, pid, mem, follow_forks);
}

int observe_give_object(const struct observer *o, const void *bytes,
			size_t size, uint32_t *id)
{
	struct profil_unwind args = {
		.size = sizeof(args), .op = PROFIL_UNWIND_OBJECT,
		.addr = (uintptr_t)bytes, .bytes = size,
	};

	if (ioctl(o->fd, PROFIL_IOC_UNWIND, &args))
		return errno;
	*id = args.id;
	return 0;
}

void observe_drop_object(const struct observer *o, uint32_t id)
{
	struct profil_unwind args = {
		.size = sizeof(args), .op = PROFIL_UNWIND_DROP, .id = id,
	};

	ioctl(o->fd, PROFIL_IOC_UNWIND, &args);
}

int observe_give_maps(const struct observer *o, uint32_t image, int mem,
		      const struct profil_unwind_map *maps, size_t nr)
{
	struct profil_unwind args = {
		.size = sizeof(args), .op = PROFIL_UNWIND_MAPS,
		.addr = (uintptr_t)maps, .bytes = nr * sizeof(*maps),
		.image = image, .fd = mem,
	};

	return ioctl(o->fd, PROFIL_IOC_UNWIND, &args) ? errno : 0;
}

/*
 * From a node up to its image, which it returns.  Above the pcs stands how the
 * path ended, if there is one, and above that the thread.
 */
static uint32_t climb_path(const struct profil_node *nodes, uint32_t at,
			   struct observe_path *path, uint64_t *thread)
{
	size_t nr = 0;

	while (!(at & PROFIL_NODE_IMAGE)) {
		if (nr < ARRAY_SIZE(path->pcs))
			path->pcs[nr++] = nodes[at].pc;
		at = nodes[at].from;
	}
	*thread = nr > 1 ? path->pcs[--nr] : 0;
	path->end = nr > 1 ? (unsigned int)path->pcs[--nr] : 0;
	path->nr = nr;
	return at & ~PROFIL_NODE_IMAGE;
}

static void tell_nodes(const struct observer *o, const struct profil_half *half,
		       const struct observe_calls *calls, void *arg)
{
	const struct profil_node *nodes = (const void *)
		((const char *)half + o->map->nodes_at);
	struct observe_path path;
	uint32_t i, image;
	uint64_t thread;

	for (i = 0; i < half->nr_nodes; i++) {
		/* One that only has others below it. */
		if (!nodes[i].count)
			continue;
		image = climb_path(nodes, i, &path, &thread);
		calls->count(arg, image, thread, &path, nodes[i].count);
	}
}

static void add_books(struct observer *o, const struct profil_half *half)
{
	o->books.seen += half->seen;
	o->books.counted += half->counted;
	o->books.unplaced += half->unplaced;
	o->books.refused += half->refused;
	o->books.lost += half->lost;
	o->books.left += half->left;
	o->books.not_followed += half->not_followed;
	o->untold += half->untold;
}

static const struct profil_half *half_of(const struct observer *o, uint32_t cpu,
					 uint32_t quiet)
{
	return (const void *)((const char *)o->map + o->map->halves +
			      (2 * cpu + quiet) * o->map->half_size);
}

/*
 * Images of all CPUs come first, because threads and nodes of each CPU name them.
 */
static void tell_records(const struct observer *o, uint32_t quiet,
			 const struct observe_calls *calls, void *arg)
{
	const struct profil_thread *threads;
	const struct profil_image *images;
	const struct profil_half *half;
	uint32_t cpu, i;

	for (cpu = 0; cpu < o->map->nr_cpus; cpu++) {
		half = half_of(o, cpu, quiet);
		images = (const void *)((const char *)half + o->map->images_at);
		for (i = 0; i < half->nr_images; i++)
			calls->image(arg, &images[i]);
	}
	for (cpu = 0; cpu < o->map->nr_cpus; cpu++) {
		half = half_of(o, cpu, quiet);
		threads = (const void *)((const char *)half +
					 o->map->threads_at);
		for (i = 0; i < half->nr_threads; i++)
			calls->thread(arg, &threads[i]);
	}
}

static void tell_ends(const struct observer *o, uint32_t quiet,
		      const struct observe_calls *calls, void *arg)
{
	const struct profil_half *half;
	const struct profil_end *ends;
	uint32_t cpu, i;

	for (cpu = 0; cpu < o->map->nr_cpus; cpu++) {
		half = half_of(o, cpu, quiet);
		ends = (const void *)((const char *)half + o->map->ends_at);
		for (i = 0; i < half->nr_ends; i++)
			calls->end(arg, &ends[i]);
	}
}

int observe_swap(struct observer *o, const struct observe_calls *calls,
		 void *arg)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	uint32_t cpu;

	if (ioctl(o->fd, PROFIL_IOC_SWAP, &swap))
		return -1;
	o->at.since_ns = (int64_t)o->map->half[swap.quiet].begin_ns;
	o->at.until_ns = (int64_t)o->map->half[swap.quiet].end_ns;
	tell_records(o, swap.quiet, calls, arg);
	tell_ends(o, swap.quiet, calls, arg);
	for (cpu = 0; cpu < o->map->nr_cpus; cpu++) {
		tell_nodes(o, half_of(o, cpu, swap.quiet), calls, arg);
		add_books(o, half_of(o, cpu, swap.quiet));
	}
	o->books.cpu_ns = o->map->half[swap.quiet].cpu_ns;
	o->followed = o->map->followed;
	return 0;
}
