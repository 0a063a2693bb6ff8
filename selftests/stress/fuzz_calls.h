/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer's calls of the device, with valid arguments, with a wrong field or
 * two, and with noise; and the invariants of the answers.
 */
#ifndef PROFIL_FUZZ_CALLS_H
#define PROFIL_FUZZ_CALLS_H

#include <poll.h>

#include "fuzz_test.h"

#define FUZZ_ARGUMENT	512U

static inline uint64_t edge(struct fuzz *f)
{
	const uint64_t edges[] = {
		0, 1, 2, PAGE, 0x10000, 0x20000, 1ULL << 31, 1ULL << 32,
		1ULL << 46, 1ULL << 47, 1ULL << 63, 0xffffffff81000000ULL,
		addr(f->arena), addr(f->arena) + FUZZ_ARENA,
		addr(__start_hot), addr(__stop_hot),
	};

	switch (below(f, 4)) {
	case 0:
		/* What is above the arena with 32 bits is in use. */
		return random64(f) >> below(f, 64) &
		       (sizeof(long) == 4 ? 0xffffffff1fffffffULL : ~0ULL);
	case 1:
		return -below(f, 2 * PAGE);
	default:
		return edges[below(f, sizeof(edges) / sizeof(*edges))] +
		       below(f, 5) - 2;
	}
}

static inline void fuzz_noise(struct fuzz *f, void *to, size_t n)
{
	unsigned char *bytes = to;

	while (n--)
		*bytes++ = random64(f) >> 24;
}

/* Makes a field or two of a struct wrong: all of ours are of whole words. */
static inline void fuzz_spoil(struct fuzz *f, void *to, size_t size)
{
	uint64_t value;
	size_t place;

	do {
		value = edge(f);
		place = below(f, size / 4) * 4;
		if (place % 8 || one_in(f, 2))
			memcpy((char *)to + place, &value, 4);
		else
			memcpy((char *)to + place, &value, 8);
	} while (one_in(f, 3));
}

/* A region with its buffer in the arena. */
static inline struct profil_region random_region(struct fuzz *f)
{
	static const uint32_t scales[] = {
		0x10000, 0x10000, 0x8000, 0x20000, 1, 2, 0xffff
	};
	uint32_t width = 2 << below(f, 3);
	uint64_t size = width + below(f, one_in(f, 8) ? 20 * PAGE : 2 * PAGE);
	uint64_t place = below(f, FUZZ_ARENA - size) & -(uint64_t)width;
	struct profil_region region = {
		.base = addr(f->arena) + place,
		.size = size,
		.offset = addr(__start_hot) + below(f, 64),
		.scale = scales[below(f, 7)],
		.width = width,
	};

	if (one_in(f, 4)) {
		region.scale = 2;
		region.flags = PROFIL_REGION_F_OVERFLOW;
	}
	if (one_in(f, 4))
		region.offset = one_in(f, 2) ? 0 : edge(f);
	return region;
}

/* An address for a buffer: nearly always a valid one. */
static inline uint64_t random_pointer(struct fuzz *f, void *good, bool spoil)
{
	if (spoil && one_in(f, 6))
		return edge(f);
	return addr(good);
}

static inline struct profil_dump random_dump(struct fuzz *f, bool spoil)
{
	struct profil_dump dump = {
		.self_size = sizeof(dump),
		.dirfd = one_in(f, 8) ? -1 : f->dir,
		.addr = addr(f->arena) + PAGE + 100,
		.size = 5 * PAGE,
		.len = addr(f->arena),
		.head = below(f, 5 * PAGE),
	};

	if (spoil)
		fuzz_spoil(f, &dump, sizeof(dump));
	return dump;
}

/* The n-th allocation of the next call fails. */
static inline void fuzz_fail_next(struct fuzz *f, unsigned int n)
{
	char text[12];

	if (f->nth < 0)
		return;
	snprintf(text, sizeof(text), "%u", n);
	if (pwrite(f->nth, text, strlen(text), 0) < 0)
		fuzz_fail(f, "fail-nth: %s", strerror(errno));
}

static inline bool is_one_of(int err, const int *errors)
{
	while (*errors && *errors != err)
		errors++;
	return *errors == err;
}

/* An ioctl with the struct, as long as its first word says or longer. */
static inline int fuzz_ioctl_on(struct fuzz *f, int fd, const char *name,
				unsigned long cmd, void *bytes, uint32_t size,
				bool spoil)
{
	/* The last two are an observer's. */
	static const int errors[] = {
		EINVAL, E2BIG, EFAULT, EOPNOTSUPP, ENOMEM, EBUSY, EPERM,
		EALREADY, EBADF, ENOTDIR, ENFILE, ESRCH, EAGAIN, 0
	};
	static const uint32_t sizes[] = { 0, 4, 24, 40, 57, 120, 4096, 4097 };
	uint64_t at = addr(bytes);
	int err;

	if (spoil) {
		if (one_in(f, 4))
			fuzz_spoil(f, bytes, size);
		if (one_in(f, 6))
			*(uint32_t *)bytes = sizes[below(f, 8)];
		if (one_in(f, 16))
			fuzz_noise(f, bytes, FUZZ_ARGUMENT);
		if (one_in(f, 16))
			at = edge(f);
	}
	fuzz_fail_next(f, below(f, 20));
	err = ioctl(fd, cmd, at) ? errno : 0;
	fuzz_fail_next(f, 0);
	fuzz_step(f, name, err);
	if (!is_one_of(err, errors) ||
	    (fd == f->device && (err == ESRCH || err == EAGAIN)))
		fuzz_fail(f, "%s: %s", name, strerror(err));
	return err;
}

static inline int fuzz_ioctl(struct fuzz *f, const char *name,
			     unsigned long cmd, void *bytes, uint32_t size,
			     bool spoil)
{
	return fuzz_ioctl_on(f, f->device, name, cmd, bytes, size, spoil);
}

/* Invariants of an answer to a valid call. */
static inline void fuzz_judge(struct fuzz *f, const struct profil_status *s)
{
	const struct profil_books *books = &s->books;

	if (!balanced(books))
		fuzz_fail(f, "seen %llu is not %llu + %llu + %llu + %llu",
			  (unsigned long long)books->seen,
			  (unsigned long long)books->binned,
			  (unsigned long long)books->outside,
			  (unsigned long long)books->lost,
			  (unsigned long long)books->pending);
	if (s->state > PROFIL_STATE_ON || s->reason > PROFIL_REASON_FAULT ||
	    s->nr_regions > FUZZ_REGIONS || s->reserved || !s->hz ||
	    books->saturated > books->binned)
		fuzz_fail(f, "a status of noise");
}

/* The profile that is on now, or zeros if the query fails. */
static inline struct profil_status fuzz_ask(struct fuzz *f, uint32_t flags)
{
	struct profil_status status = {
		.size = sizeof(status),
		.flags = flags,
		.region_size = sizeof(struct profil_region_status),
	};

	if (ioctl(f->device, PROFIL_IOC_QUERY, &status))
		memset(&status, 0, sizeof(status));
	else
		fuzz_judge(f, &status);
	return status;
}

static inline void fuzz_set(struct fuzz *f)
{
	static __thread struct profil_region regions[FUZZ_REGIONS + 1];
	bool spoil = one_in(f, 2), thread = one_in(f, 4);
	uint32_t nr = 1 + below(f, one_in(f, 16) ? FUZZ_REGIONS : 6), i;
	union {
		struct profil_set set;
		char bytes[FUZZ_ARGUMENT];
	} arg = { .bytes = "" };
	struct profil_status before, after;
	struct profil_dump dump;
	int err;

	for (i = 0; i < nr; i++) {
		regions[i] = random_region(f);
		if (spoil && one_in(f, 16))
			fuzz_spoil(f, &regions[i], sizeof(regions[i]));
	}
	arg.set = (struct profil_set) {
		.size = sizeof(arg.set),
		.flags = thread ? PROFIL_F_THREAD : 0,
		.regions = random_pointer(f, regions, spoil),
		.nr_regions = nr,
		.region_size = sizeof(*regions),
	};
	if (one_in(f, 4))
		arg.set.flags |= PROFIL_F_USER_ONLY;
	/* Regions that are counted in while they are read. */
	if (spoil && one_in(f, 6))
		arg.set.regions = addr(fuzz_pages(f, 1));
	if (one_in(f, 4)) {
		dump = random_dump(f, spoil);
		arg.set.dump = random_pointer(f, &dump, spoil);
	}
	before = fuzz_ask(f, arg.set.flags & PROFIL_F_THREAD);
	err = fuzz_ioctl(f, "set", PROFIL_IOC_SET, &arg, sizeof(arg.set),
			 spoil);
	__sync_fetch_and_add(&f->report->sets[err], 1);
	if (!err || !f->alone || !before.size)
		return;
	after = fuzz_ask(f, thread ? PROFIL_F_THREAD : 0);
	if (after.size && (after.nr_regions != before.nr_regions ||
			   after.books.seen < before.books.seen))
		fuzz_fail(f, "a set that failed changed the profile");
}

static inline void fuzz_answer(struct fuzz *f)
{
	bool spoil = one_in(f, 2), stop = one_in(f, 3);
	union {
		struct profil_status status;
		char bytes[FUZZ_ARGUMENT];
	} arg = { .bytes = "" };
	int err;

	arg.status = (struct profil_status) {
		.size = sizeof(arg.status),
		.flags = one_in(f, 4) ? PROFIL_F_THREAD : 0,
		.regions = random_pointer(f, f->answers, spoil),
		.nr_regions = below(f, FUZZ_REGIONS + 1),
		.region_size = sizeof(*f->answers),
	};
	/* An answer that is counted in. */
	if (spoil && one_in(f, 6))
		arg.status.regions = addr(fuzz_pages(f, 1));
	err = fuzz_ioctl(f, stop ? "stop" : "query",
			 stop ? PROFIL_IOC_STOP : PROFIL_IOC_QUERY, &arg,
			 sizeof(arg.status), spoil);
	/* The page fault of an answer has no memory either, and says EFAULT. */
	if (err && !spoil && err != ENOMEM && !(err == EFAULT && f->nth >= 0))
		fuzz_fail(f, "%s: %s", stop ? "stop" : "query", strerror(err));
	if (!err && !spoil)
		fuzz_judge(f, &arg.status);
}

static inline void fuzz_info(struct fuzz *f)
{
	union {
		struct profil_info info;
		char bytes[FUZZ_ARGUMENT];
	} arg = { .info = { .size = sizeof(arg.info) } };

	fuzz_ioctl(f, "info", PROFIL_IOC_INFO, &arg, sizeof(arg.info),
		   one_in(f, 2));
}

/* Other system calls on a device that has only ioctls. */
static inline void fuzz_device(struct fuzz *f)
{
	struct pollfd poll_for = { .fd = f->device, .events = POLLIN };
	unsigned long cmd = random64(f);
	char bytes[16];
	int fd;

	switch (below(f, 6)) {
	case 0:
		if (one_in(f, 2))
			cmd = _IO(PROFIL_IOC_TYPE, 8 + below(f, 248));
		if ((cmd >> 8 & 0xff) == PROFIL_IOC_TYPE && (cmd & 0xff) < 8)
			break;
		/* Some numbers are every file's. */
		if (!ioctl(f->device, cmd, bytes) &&
		    (cmd >> 8 & 0xff) == PROFIL_IOC_TYPE)
			fuzz_fail(f, "ioctl %#lx", cmd);
		break;
	case 1:
		if (read(f->device, bytes, sizeof(bytes)) >= 0 ||
		    write(f->device, bytes, sizeof(bytes)) >= 0)
			fuzz_fail(f, "read or write");
		break;
	case 2:
		if (mmap(NULL, PAGE, PROT_READ, MAP_SHARED, f->device, 0) !=
		    MAP_FAILED)
			fuzz_fail(f, "mmap of the device");
		break;
	case 3:
		poll(&poll_for, 1, 0);
		break;
	default:
		fd = open(PROFIL_DEVICE, one_in(f, 2) ? O_RDONLY : O_RDWR);
		if (fd >= 0) {
			close(f->device);
			f->device = fd;
		}
	}
	fuzz_step(f, "device", 0);
}

#endif /* PROFIL_FUZZ_CALLS_H */
