/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For all parts of the fuzzer: the state of a thread, its random numbers, and
 * the report of a failure.
 */
#ifndef PROFIL_FUZZ_TEST_H
#define PROFIL_FUZZ_TEST_H

#include <stdarg.h>
#include <stdio.h>

#include "profil_test.h"

#define FUZZ_PAGES	64UL
#define FUZZ_ARENA	(FUZZ_PAGES * PAGE)
#define FUZZ_TRACE	24

/*
 * Where the kernel puts nothing by itself: a hole stays a hole, and an address
 * that is half noise is not by chance that of memory which the fuzzer needs.
 */
#define FUZZ_ADDRESS	((char *)0x20000000)
#define FUZZ_REGIONS	1024U
#define FUZZ_ANSWERS	(FUZZ_REGIONS * sizeof(struct profil_region_status))

#define FUZZ_ERRORS	134	/* errnos */

#define FUZZ_WORKERS	6

struct fuzz_report {
	/* Of each worker, with its threads and children. */
	struct {
		unsigned int steps;
		const char *last;
	} workers[FUZZ_WORKERS];
	int failed;
	unsigned int sets[FUZZ_ERRORS];	/* how often set ended so */
	char text[4096];
};

struct fuzz {
	uint64_t random;
	uint64_t seed;
	int worker;
	int device;
	int dir;
	int nth;		/* this thread's fail-nth, or -1 */
	bool poor;		/* has no profile yet, but wants one */
	int depth;		/* processes between the worker and this one */
	bool wipes;		/* MADV_WIPEONFORK; else it moves memory */
	bool alone;		/* no other thread changes the profile */
	char *arena;
	struct profil_region_status *answers;
	struct fuzz_report *report;
	unsigned int steps;
	struct {
		const char *what;
		int err;
	} trace[FUZZ_TRACE];
};

static inline uint64_t random64(struct fuzz *f)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return f->random * 0x2545f4914f6cdd1dULL;
}

/* 0 to n - 1 */
static inline uint64_t below(struct fuzz *f, uint64_t n)
{
	return (random64(f) >> 16) % n;
}

static inline bool one_in(struct fuzz *f, unsigned int n)
{
	return !below(f, n);
}

/* Neighbouring seeds give unrelated numbers. */
static inline void fuzz_seed(struct fuzz *f, uint64_t seed)
{
	int i;

	f->seed = seed;
	f->random = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	for (i = 0; i < 8; i++)
		random64(f);
}

static inline void *fuzz_map_at(char *address, size_t len)
{
	if (mmap(address, len, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != address)
		_exit(KSFT_FAIL);
	return address;
}

static inline char *fuzz_map_arena(void)
{
	return fuzz_map_at(FUZZ_ADDRESS, FUZZ_ARENA);
}

/* Each thread has its own. */
static inline struct profil_region_status *fuzz_map_answers(int thread)
{
	return fuzz_map_at(FUZZ_ADDRESS + 0x1000000 + thread * 0x10000,
			   FUZZ_ANSWERS);
}

/* A page of the arena, with room for n. */
static inline char *fuzz_pages(struct fuzz *f, unsigned long n)
{
	return f->arena + below(f, FUZZ_PAGES - n + 1) * PAGE;
}

static inline int fuzz_step(struct fuzz *f, const char *what, int err)
{
	f->trace[f->steps % FUZZ_TRACE].what = what;
	f->trace[f->steps % FUZZ_TRACE].err = err;
	f->steps++;
	f->report->workers[f->worker].last = what;
	__sync_fetch_and_add(&f->report->workers[f->worker].steps, 1);
	return err;
}

/* The first one is reported, with what led to it; the process ends. */
__attribute__((format(printf, 2, 3), noreturn))
static inline void fuzz_fail(struct fuzz *f, const char *format, ...)
{
	struct fuzz_report *report = f->report;
	char *pos = report->text, *end = pos + sizeof(report->text);
	unsigned int i;
	va_list ap;

	if (__sync_lock_test_and_set(&report->failed, 1))
		_exit(KSFT_FAIL);
	va_start(ap, format);
	pos += vsnprintf(pos, end - pos, format, ap);
	va_end(ap);
	pos += snprintf(pos, end - pos, " (worker %#llx, step %u)\n",
			(unsigned long long)f->seed, f->steps);
	for (i = f->steps > FUZZ_TRACE ? f->steps - FUZZ_TRACE : 0;
	     i < f->steps && pos < end; i++)
		pos += snprintf(pos, end - pos, "# %u %s: %s\n", i,
				f->trace[i % FUZZ_TRACE].what,
				strerror(f->trace[i % FUZZ_TRACE].err));
	_exit(KSFT_FAIL);
}

#endif /* PROFIL_FUZZ_TEST_H */
