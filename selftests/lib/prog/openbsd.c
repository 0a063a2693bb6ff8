// SPDX-License-Identifier: GPL-2.0-only
/* OpenBSD's profil(): its errors and their order, its header, its file. */
#define _GNU_SOURCE
#define _OPENBSD_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <profil.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "points.h"

#define HOT __attribute__((noinline, aligned(64), section("hot")))
#define BUFLEN	65536u

extern char __start_hot[], __stop_hot[];

static volatile unsigned long sink;
static char *buf;
static size_t samples;

HOT static void work(void)
{
	int i;

	for (i = 0; i < 100000; i++)
		sink++;
}

static int failed(int ret)
{
	return ret == 0 ? 0 : errno;
}

static int set(unsigned int scale, int dirfd)
{
	return failed(profil(buf, BUFLEN, samples, (unsigned long)__start_hot,
			     scale, dirfd));
}

static void check_errors(int *file)
{
	char *readonly = mmap(NULL, BUFLEN, PROT_READ,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*file = open("/proc/self/exe", O_RDONLY);
	result(set(0x10001, 12345) == EINVAL, "a scale above 0x10000 is EINVAL");
	result(set(0, 12345) == 0, "scale 0 stops what is not on");
	result(set(0x10000, 12345) == EBADF, "a bad descriptor is EBADF");
	result(set(0x10000, *file) == ENOTDIR, "a file is ENOTDIR");
	result(failed(profil(buf, BUFLEN, BUFLEN, 0, 1, -1)) == EINVAL,
	       "more samples than the buffer has is EINVAL");
	result(failed(profil(readonly, BUFLEN, 1024, 0, 1, -1)) == EFAULT,
	       "a buffer that is not writable is EFAULT");
}

static unsigned long counted(void)
{
	const uint16_t *bins = (const void *)(buf + sizeof(struct gmonhdr));
	unsigned long n = 0;
	size_t i;

	for (i = 0; i < samples / 2; i++)
		n += __atomic_load_n(&bins[i], __ATOMIC_RELAXED);
	return n;
}

static unsigned long grown(unsigned long least)
{
	unsigned long before = counted();
	int i;

	for (i = 0; i < 20000 && counted() < before + least; i++)
		work();
	return counted() - before;
}

static void check_calls(int file)
{
	result(set(0x10000, -1) == 0 && grown(3) >= 3, "samples are counted");
	result(failed(profil(buf, BUFLEN - 8, samples, 0, 1, -1)) == EALREADY &&
	       failed(profil(buf + 8, BUFLEN, samples, 0, 1, -1)) == EALREADY,
	       "another buffer, or length, is EALREADY");
	result(set(0x8000, file) == 0 && grown(3) >= 3,
	       "a second call replaces, whatever its descriptor");
	result(set(0, -1) == 0 && !grown(1), "scale 0 pauses");
	result(set(0x10001, -1) == EINVAL, "EINVAL comes before EALREADY");
	result(set(0x10000, 12345) == 0 && grown(3) >= 3, "and it goes on");
}

static void complete(void)
{
	struct gmonhdr *header = (struct gmonhdr *)buf;

	header->lpc = (unsigned long)__start_hot;
	header->hpc = header->lpc + samples;
	header->ncnt = (int)(sizeof(*header) + samples);
	header->version = GMONVERSION;
	header->profrate = 100;
	header->totarc = 24;
}

/* With an argument: only what the first call says. */
int main(int argc, char **argv)
{
	int file;

	samples = ((size_t)(__stop_hot - __start_hot) + 8) & ~(size_t)7;
	buf = mmap(NULL, BUFLEN + 4096, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (argc > 1) {
		printf("%s %s\n", strerror(set(0, -1)),
		       strerror(set(strtoul(argv[1], NULL, 0), -1)));
		return 0;
	}
	check_errors(&file);
	check_calls(file);
	complete();
	return finish();
}
