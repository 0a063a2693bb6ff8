/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer's changes to the memory of buffers.
 */
#ifndef PROFIL_FUZZ_MEMORY_H
#define PROFIL_FUZZ_MEMORY_H

#include <linux/userfaultfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "fuzz_test.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY	1
#endif

/* A userfaultfd without an answer, until another thread closes it. */
static int fuzz_uffd = -1;

static inline int take_uffd(int fd)
{
	return __sync_lock_test_and_set(&fuzz_uffd, fd);
}

/*
 * Not while memory is registered with it: a kernel of before 2025 lets a thread that
 * locks or pins a page of it turn round until it is killed, with mmap_lock.
 */
static inline void close_uffd(int fd)
{
	struct uffdio_range page = { .len = PAGE };

	for (page.start = addr(FUZZ_ADDRESS);
	     page.start < addr(FUZZ_ADDRESS) + FUZZ_ARENA; page.start += PAGE)
		ioctl(fd, UFFDIO_UNREGISTER, &page);
	close(fd);
}

static inline int fuzz_userfault(struct fuzz *f)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = addr(fuzz_pages(f, 4)), .len = 4 * PAGE },
		.mode = one_in(f, 2) ? UFFDIO_REGISTER_MODE_MISSING :
				       UFFDIO_REGISTER_MODE_WP,
	};
	int fd, err = 0;

	/* A child has no thread to close it. */
	if (f->depth)
		return 0;
	fd = syscall(SYS_userfaultfd, O_CLOEXEC |
		     (one_in(f, 2) ? UFFD_USER_MODE_ONLY : 0));
	if (fd < 0)
		return errno;
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		err = errno;
	fd = take_uffd(fd);
	if (fd >= 0)
		close_uffd(fd);
	return err;
}

static inline int fuzz_advise(struct fuzz *f, char *pages, size_t len)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DONTNEED, MADV_FREE, MADV_REMOVE,
		MADV_DONTFORK, MADV_DOFORK, MADV_WIPEONFORK, MADV_KEEPONFORK,
		MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_MERGEABLE,
		MADV_UNMERGEABLE, MADV_WILLNEED,
		20 /* MADV_COLD */, 21 /* MADV_PAGEOUT */,
	};
	size_t n = sizeof(advice) / sizeof(*advice);
	int taken = advice[below(f, n)];

	if (taken == MADV_WIPEONFORK && !f->wipes)
		taken = MADV_KEEPONFORK;
	return madvise(pages, len, taken) ? errno : 0;
}

/*
 * Not in a process that wipes: 7.3 with DEBUG_VM warns, with or without us, of
 * memory that was moved, has no page yet in a child, and is split.
 */
static inline int fuzz_move(struct fuzz *f, char *pages, char *to, size_t len)
{
	if (f->wipes)
		return mmap(to, len, PROT_READ | PROT_WRITE, MAP_FIXED |
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ?
		       errno : 0;
	return mremap(pages, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
	       MAP_FAILED ? errno : 0;
}

/* Other memory in its place. */
static inline int fuzz_map(struct fuzz *f, char *pages, size_t len)
{
	int prot = one_in(f, 4) ? PROT_READ : PROT_READ | PROT_WRITE;
	int flags = MAP_FIXED | MAP_ANONYMOUS, fd = -1;
	void *p;

	switch (below(f, 8)) {
	case 0:
		flags |= MAP_SHARED;
		break;
	case 1:
		fd = memfd_create("fuzz", 0);
		flags = MAP_FIXED | MAP_SHARED;
		if (ftruncate(fd, one_in(f, 4) ? 0 : len))
			return errno;
		break;
	case 2:
		fd = open("/proc/self/exe", O_RDONLY);
		flags = MAP_FIXED | (one_in(f, 2) ? MAP_SHARED : MAP_PRIVATE);
		if (flags & MAP_SHARED)
			prot = PROT_READ;
		break;
	case 3:
		fd = open("/dev/zero", O_RDWR);
		flags = MAP_FIXED | (one_in(f, 2) ? MAP_SHARED : MAP_PRIVATE);
		break;
	case 4:
		flags |= MAP_PRIVATE | MAP_HUGETLB;
		break;
	default:
		flags |= MAP_PRIVATE;
		if (one_in(f, 3))
			flags |= MAP_POPULATE;
	}
	p = mmap(pages, len, prot, flags, fd, 0);
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? errno : 0;
}

/* Has the kernel touch it, so that what is not memory is an error. */
static inline int fuzz_touch(char *pages, size_t len)
{
	int fd = open("/dev/zero", O_RDONLY);
	int err = read(fd, pages, len) < 0 ? errno : 0;

	close(fd);
	return err;
}

static inline int fuzz_limit(struct fuzz *f)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return errno;
	limit.rlim_cur = one_in(f, 2) ? limit.rlim_max : below(f, 128) * PAGE;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_MEMLOCK, &limit) ? errno : 0;
}

static inline void fuzz_memory(struct fuzz *f)
{
	static const int protections[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
		PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE | PROT_EXEC
	};
	unsigned long n = 1 + below(f, one_in(f, 4) ? 32 : 4);
	char *pages = fuzz_pages(f, n), *to = fuzz_pages(f, n);
	size_t len = n * PAGE;

	switch (below(f, 16)) {
	case 0:
		fuzz_step(f, "munmap", munmap(pages, len) ? errno : 0);
		break;
	case 1:
	case 2:
		fuzz_step(f, "mprotect",
			  mprotect(pages, len, protections[below(f, 5)]) ?
			  errno : 0);
		break;
	case 3:
	case 4:
		fuzz_step(f, "mremap", fuzz_move(f, pages, to, len));
		break;
	case 5:
	case 6:
	case 7:
		fuzz_step(f, "madvise", fuzz_advise(f, pages, len));
		break;
	case 8:
		fuzz_step(f, "userfaultfd", fuzz_userfault(f));
		break;
	case 9:
		fuzz_step(f, "mlock",
			  (one_in(f, 2) ? mlock(pages, len) :
					  munlock(pages, len)) ? errno : 0);
		break;
	case 10:
		fuzz_step(f, "setrlimit", fuzz_limit(f));
		break;
	case 11:
		/* All of it is good again. */
		fuzz_map_arena();
		fuzz_step(f, "new arena", 0);
		break;
	case 12:
	case 13:
		fuzz_step(f, "touch", fuzz_touch(pages, len));
		break;
	default:
		fuzz_step(f, "mmap", fuzz_map(f, pages, len));
	}
}

#endif /* PROFIL_FUZZ_MEMORY_H */
