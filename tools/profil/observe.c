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

static uint32_t power_of_two(uint64_t least)
{
	uint32_t n = 512;

	while (n < least)
		n *= 2;
	return n;
}

static int make_observer(struct observer *o, uint32_t rate)
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
	args.images = 128;
	if (ioctl(o->fd, PROFIL_IOC_OBSERVE, &args)) {
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

int observe_open(struct observer *o, uint32_t rate)
{
	memset(o, 0, sizeof(*o));
	o->fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (o->fd < 0) {
		say_no_device(errno);
		return -1;
	}
	if (make_observer(o, rate)) {
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

static int join(const struct observer *o, pid_t pid, int mem, bool follow_forks)
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
	return join(o, 0, 0, follow_forks);
}

int observe_join_mem(const struct observer *o, pid_t pid, int mem,
		     bool follow_forks)
{
	return join(o, pid, mem, follow_forks);
}

static void tell_nodes(const struct observer *o, const struct profil_half *half,
		       const struct observe_calls *calls, void *arg)
{
	const struct profil_node *nodes = (const void *)
		((const char *)half + o->map->nodes_at);
	uint32_t i, from;
	uint64_t thread;

	for (i = 0; i < half->nr_nodes; i++) {
		/* The node of a thread only has those of pcs below it. */
		if (!nodes[i].count)
			continue;
		from = nodes[i].from;
		thread = 0;
		if (!(from & PROFIL_NODE_IMAGE)) {
			thread = nodes[from].pc;
			from = nodes[from].from;
		}
		calls->count(arg, from & ~PROFIL_NODE_IMAGE, thread,
			     nodes[i].pc, nodes[i].count);
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

/* Images of all CPUs come first, because nodes of each CPU name them. */
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
