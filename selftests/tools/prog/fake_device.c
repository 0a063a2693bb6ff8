// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded, it answers for /dev/profil where there is none: an observer that
 * sees one process at two pcs, 3 to 1, 100 samples in each half.
 *
 * FAKE_PID, FAKE_HEAVY and FAKE_LIGHT (hexadecimal) are the process and the pcs;
 * after FAKE_IDLE halves (0: never) it has no samples, and after FAKE_SWAPS it
 * has ended.  With FAKE_FILES, a directory
 * of copies of its static program named from 0, in each half 20 of them run with
 * a sample in the first pc, and end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <profil/ioctl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NR	64

struct half {
	struct profil_half head;
	struct profil_node nodes[NR];
	struct profil_image images[NR];
	struct profil_end ends[NR];
	struct profil_thread threads[NR];
};

static struct fake {
	struct profil_map map;
	struct half halves[2];
} *fake;
static int device = -1;
static unsigned long swaps;
static unsigned int quiet = 1;

static unsigned long number_of(const char *name, int base)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, base) : 0;
}

static void add_short_lived(struct half *half)
{
	const char *directory = getenv("FAKE_FILES");
	struct profil_image *image;
	struct stat st;
	Elf64_Ehdr head;
	unsigned int i;
	FILE *file;

	for (i = 1; directory && i <= 20; i++) {
		image = &half->images[i];
		*image = (struct profil_image){ .number = swaps * 20 + i + 1 };
		strcpy(image->comm, "short");
		snprintf(image->path, sizeof(image->path), "%s/%lu", directory,
			 swaps * 20 + i);
		file = fopen(image->path, "r");
		if (!file || fread(&head, sizeof(head), 1, file) != 1 ||
		    fstat(fileno(file), &st))
			return;
		fclose(file);
		image->entry = head.e_entry;
		image->dev = major(st.st_dev) << 20 | minor(st.st_dev);
		image->ino = st.st_ino;
		half->ends[half->head.nr_ends++].image = image->number;
		half->nodes[half->head.nr_nodes++] = (struct profil_node){
			half->nodes[1].pc, PROFIL_NODE_IMAGE | image->number, 1
		};
		half->head.nr_images++;
		half->head.counted++;
		half->head.seen++;
	}
}

static void fill_half(struct half *half)
{
	unsigned long last = number_of("FAKE_SWAPS", 10);
	unsigned long idle = number_of("FAKE_IDLE", 10);
	int pid = (int)number_of("FAKE_PID", 10);

	memset(half, 0, sizeof(*half));
	if (last && swaps > last)
		return;
	fake->map.half[0].cpu_ns += 100000000;
	fake->map.half[1].cpu_ns = fake->map.half[0].cpu_ns;
	half->head = (struct profil_half){
		.seen = 101, .counted = 100, .lost = 1, .nr_nodes = 3,
		.nr_images = 1, .nr_threads = 1,
		.nr_ends = last && swaps == last,
	};
	if (idle && swaps > idle) {
		half->head.seen = 0;
		half->head.counted = 0;
		half->head.lost = 0;
		half->head.nr_nodes = 0;
	}
	half->nodes[0] = (struct profil_node){ 7, PROFIL_NODE_IMAGE | 1, 0 };
	half->nodes[1] = (struct profil_node){
		number_of("FAKE_HEAVY", 16), 0, 75 };
	half->nodes[2] = (struct profil_node){
		number_of("FAKE_LIGHT", 16), 0, 25 };
	half->images[0].number = 1;
	half->images[0].pid = pid;
	strcpy(half->images[0].comm, "target");
	half->threads[0] = (struct profil_thread){
		.number = 7, .image = 1, .tid = pid, .comm = "worker" };
	half->ends[0].image = 1;
	add_short_lived(half);
}

static int swap_halves(struct profil_swap *swap)
{
	quiet = !quiet;
	swaps++;
	fill_half(&fake->halves[quiet]);
	fake->map.followed = !number_of("FAKE_SWAPS", 10) ||
			     swaps < number_of("FAKE_SWAPS", 10);
	swap->quiet = quiet;
	return 0;
}

static void make_map(void)
{
	fake = mmap(NULL, sizeof(*fake), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fake->map = (struct profil_map){
		.nr_cpus = 1, .nodes = NR, .images = NR, .ends = NR,
		.threads = NR, .followed = 1,
		.halves = offsetof(struct fake, halves),
		.half_size = sizeof(struct half),
		.nodes_at = offsetof(struct half, nodes),
		.images_at = offsetof(struct half, images),
		.ends_at = offsetof(struct half, ends),
		.threads_at = offsetof(struct half, threads),
	};
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *path, int flags, ...) =
		dlsym(RTLD_NEXT, "open");
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
	va_end(args);
	if (strcmp(path, PROFIL_DEVICE) != 0)
		return real(path, flags, mode);
	device = eventfd(0, EFD_CLOEXEC);
	make_map();
	return device;
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *(*real)(void *at, size_t size, int prot, int flags, int fd,
		      off_t offset) = dlsym(RTLD_NEXT, "mmap");

	if (fd >= 0 && fd == device)
		return fake;
	return real(at, size, prot, flags, fd, offset);
}

int ioctl(int fd, unsigned long what, ...)
{
	int (*real)(int fd, unsigned long what, ...) =
		dlsym(RTLD_NEXT, "ioctl");
	struct profil_info *info;
	va_list args;
	void *arg;

	va_start(args, what);
	arg = va_arg(args, void *);
	va_end(args);
	if (fd < 0 || fd != device)
		return real(fd, what, arg);
	switch (what) {
	case PROFIL_IOC_INFO:
		info = arg;
		info->features = PROFIL_FEAT_OBSERVE | PROFIL_FEAT_JOIN_OTHER;
		info->max_nodes = NR;
		return 0;
	case PROFIL_IOC_OBSERVE:
		((struct profil_observe *)arg)->map_size = sizeof(*fake);
		return 0;
	case PROFIL_IOC_SWAP:
		return swap_halves(arg);
	default:
		return 0;
	}
}
