/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For all tests: the ioctls as functions, text of known cost, and waiting for
 * ticks rather than for time.
 *
 * set_x() and the like return 0 or an errno, so that a test says what it
 * expects.
 */
#ifndef PROFIL_TEST_H
#define PROFIL_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <profil/ioctl.h>

#include "kselftest_harness.h"

/* A machine that is emulated and shared is slow: only a hang is a failure. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	600

#define PAGE	4096UL

/*
 * A function in its own section, because the linker knows the bounds of that.
 */
#define HOT __attribute__((noinline, noclone, aligned(64), section("hot")))

extern char __start_hot[] __attribute__((visibility("hidden")));
extern char __stop_hot[] __attribute__((visibility("hidden")));

static volatile unsigned long sink;

/* Two equal loops: equal n costs equal time. */
HOT __attribute__((used)) static void hot_a(unsigned long n)
{
	while (n--)
		sink += n;
}

HOT __attribute__((used)) static void hot_b(unsigned long n)
{
	while (n--)
		sink += n;
}

static inline uint64_t addr(const volatile void *p)
{
	return (uintptr_t)p;
}

static inline int profil_fd(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		ksft_print_msg("cannot open %s: %s\n", PROFIL_DEVICE,
			       strerror(errno));
		exit(KSFT_FAIL);
	}
	return fd;
}

static inline int do_ioctl(unsigned long cmd, void *arg)
{
	return ioctl(profil_fd(), cmd, arg) ? errno : 0;
}

static inline int set_flags(struct profil_region *regions, uint32_t nr,
			    uint32_t flags)
{
	struct profil_set set = {
		.size = sizeof(set),
		.flags = flags,
		.regions = addr(regions),
		.nr_regions = nr,
		.region_size = sizeof(*regions),
	};

	return do_ioctl(PROFIL_IOC_SET, &set);
}

static inline int set_regions(struct profil_region *regions, uint32_t nr)
{
	return set_flags(regions, nr, 0);
}

static inline int set_region(struct profil_region region)
{
	return set_flags(&region, 1, 0);
}

static inline int set_rated(struct profil_region region, uint32_t rate_hz,
			    uint32_t flags)
{
	struct profil_set set = {
		.size = sizeof(set),
		.flags = flags,
		.regions = addr(&region),
		.nr_regions = 1,
		.region_size = sizeof(region),
		.rate_hz = rate_hz,
	};

	return do_ioctl(PROFIL_IOC_SET, &set);
}

static inline struct profil_status ask(unsigned long cmd, uint32_t flags,
				       struct profil_region_status *regions,
				       uint32_t nr)
{
	struct profil_status status = {
		.size = sizeof(status),
		.flags = flags,
		.regions = addr(regions),
		.nr_regions = nr,
		.region_size = sizeof(*regions),
	};
	int err = do_ioctl(cmd, &status);

	if (err) {
		ksft_print_msg("ioctl %#lx: %s\n", cmd, strerror(err));
		exit(KSFT_FAIL);
	}
	return status;
}

static inline struct profil_status query(void)
{
	return ask(PROFIL_IOC_QUERY, 0, NULL, 0);
}

static inline struct profil_status stop(void)
{
	return ask(PROFIL_IOC_STOP, 0, NULL, 0);
}

static inline void *map_buffer(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		ksft_print_msg("mmap: %s\n", strerror(errno));
		exit(KSFT_FAIL);
	}
	return p;
}

/* A region over the section "hot", one counter for each width text bytes. */
static inline struct profil_region hot_region(void *buffer, uint32_t width)
{
	return (struct profil_region) {
		.base = addr(buffer),
		.size = __stop_hot - __start_hot + 8,
		.offset = addr(__start_hot),
		.scale = 0x10000,
		.width = width,
	};
}

/* A region of one counter that takes every pc. */
static inline struct profil_region all_region(void *buffer, uint32_t width)
{
	return (struct profil_region) {
		.base = addr(buffer),
		.size = width,
		.scale = 2,
		.width = width,
		.flags = PROFIL_REGION_F_OVERFLOW,
	};
}

static inline uint64_t counter(const void *buffer, uint32_t width, size_t i)
{
	switch (width) {
	case 2:
		return ((const volatile uint16_t *)buffer)[i];
	case 4:
		return ((const volatile uint32_t *)buffer)[i];
	default:
		return ((const volatile uint64_t *)buffer)[i];
	}
}

static inline uint64_t sum(const void *buffer, uint32_t width, size_t bytes)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < bytes / width; i++)
		n += counter(buffer, width, i);
	return n;
}

static inline uint64_t hot_sum(const void *buffer, uint32_t width)
{
	return sum(buffer, width, hot_region(NULL, width).size);
}

/* Runs hot text until the profile has seen n more ticks. */
static inline void burn(uint64_t n)
{
	uint64_t end = query().books.seen + n;

	while (query().books.seen < end)
		hot_a(200000);
}

/* Threads that burn until they are told to stop. */
static volatile bool enough;

static inline void *burner(void *arg)
{
	while (!enough) {
		hot_a(10000);
		hot_b(10000);
	}
	return arg;
}

static inline void burners_start(pthread_t *threads, int n)
{
	enough = false;
	while (n--) {
		if (!pthread_create(&threads[n], NULL, burner, NULL))
			continue;
		ksft_print_msg("cannot create a thread\n");
		exit(KSFT_FAIL);
	}
}

static inline void burners_end(pthread_t *threads, int n)
{
	enough = true;
	while (n--)
		pthread_join(threads[n], NULL);
}

static inline bool balanced(const struct profil_books *books)
{
	return books->seen == books->binned + books->outside + books->lost +
			      books->pending;
}

#define EXPECT_BALANCED(status) do {					\
	const struct profil_books *__b = &(status)->books;		\
									\
	EXPECT_EQ(__b->seen, __b->binned + __b->outside + __b->lost +	\
			     __b->pending);				\
	EXPECT_EQ(__b->lost, 0);					\
} while (0)

/* Makes a cgroup with an account of its memory, or says why it can't. */
static inline const char *group_create(const char *dir)
{
	if (system("echo +memory 2>&1 >/sys/fs/cgroup/cgroup.subtree_control"))
		return "a kernel without memory cgroups";
	if (system("grep -q __ksymtab_int_active_memcg /proc/kallsyms"))
		return "a kernel that lets no module charge another";
	return mkdir(dir, 0755) ? "no cgroups" : NULL;
}

/* Exit status of a child that may hang; then it is killed, and this is -1. */
static inline int end_of(pid_t pid)
{
	int tries, status;

	for (tries = 0; tries < 12000; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* Runs statements in a forked child, which ends well with _exit(0). */
#define EXPECT_CHILD(...) do {						\
	pid_t __pid = fork();						\
	int __status;							\
									\
	ASSERT_LE(0, __pid);						\
	if (!__pid) {							\
		__VA_ARGS__;						\
		_exit(0);						\
	}								\
	ASSERT_EQ(__pid, waitpid(__pid, &__status, 0));			\
	EXPECT_EQ(0, __status);						\
} while (0)

#endif /* PROFIL_TEST_H */
