// SPDX-License-Identifier: MIT
/*
 * Call counts by the full addresses of both ends.  So the ends need not be in
 * one object, and their objects can be looked up later.
 *
 * As arcs.c: exact, without locks, compiled not to use vector registers.
 * Entries are handed out one after the other and never taken back, so that all
 * can be read without a look at what is free; each is in one chain.  They lie
 * in chunks that are mapped when the calls need them, each as large as all
 * before it.  syscall() is used for that, because it keeps vector registers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pg/calls.h"

#define HEADS		16384u
/* A longer chain costs that much a call, and counts no more. */
#define STEPS_MAX	512

/* In the first chunk; a multiple of any page in bytes. */
#define CHUNK_MIN	4096u
#define CHUNKS		9

_Static_assert(CHUNK_MIN << (CHUNKS - 1) == PROFIL_WIDE_MAX, "room for all");

struct entry {
	uintptr_t from, self;
	uint32_t count[2];	/* low half first */
	struct entry *next;
};

/* What a forked child finds zero. */
struct wiped {
	struct entry *heads[HEADS];
	uint32_t used;
};

struct profil_wide {
	struct entry *chunks[CHUNKS];
	struct wiped *wiped;
	bool stuck;		/* a chunk could not be mapped */
};

static inline uint32_t chain_of(uintptr_t from, uintptr_t self)
{
	uint32_t mix = (uint32_t)from * 0x9e3779b1u ^
		       (uint32_t)self * 0x85ebca77u;

	return (mix ^ mix >> 15) & (HEADS - 1);
}

static inline void count_one(struct entry *entry)
{
	if (!__atomic_add_fetch(&entry->count[0], 1, __ATOMIC_RELAXED))
		__atomic_add_fetch(&entry->count[1], 1, __ATOMIC_RELAXED);
}

static inline uint32_t chunk_of(uint32_t number)
{
	uint32_t times = number / CHUNK_MIN;

	return times ? 32 - (uint32_t)__builtin_clz(times) : 0;
}

static inline uint32_t chunk_first(uint32_t chunk)
{
	return chunk ? CHUNK_MIN << (chunk - 1) : 0;
}

static inline size_t chunk_size(uint32_t chunk)
{
	return sizeof(struct entry) * (chunk ? chunk_first(chunk) : CHUNK_MIN);
}

static struct entry *entry_at(const struct profil_wide *wide, uint32_t number)
{
	uint32_t chunk = chunk_of(number);

	return &__atomic_load_n(&wide->chunks[chunk], __ATOMIC_ACQUIRE)
		[number - chunk_first(chunk)];
}

static struct entry *chunk_map(size_t size)
{
	long at;

#ifdef SYS_mmap2
	at = syscall(SYS_mmap2, NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
#else
	at = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
#endif
	if (at == -1)
		return NULL;
	if (syscall(SYS_madvise, at, size, MADV_WIPEONFORK) != 0) {
		syscall(SYS_munmap, at, size);
		return NULL;
	}
	return (struct entry *)at;
}

/* Threads that come at once map one each, and the first stays. */
static bool chunk_add(struct profil_wide *wide, uint32_t chunk)
{
	struct entry *none = NULL;
	struct entry *new;
	int saved = errno;

	if (__atomic_load_n(&wide->stuck, __ATOMIC_RELAXED))
		return false;
	new = chunk_map(chunk_size(chunk));
	if (!new)
		__atomic_store_n(&wide->stuck, true, __ATOMIC_RELAXED);
	else if (!__atomic_compare_exchange_n(&wide->chunks[chunk], &none, new,
					      false, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED))
		syscall(SYS_munmap, new, chunk_size(chunk));
	errno = saved;
	return new;
}

/* Two that come with the same arc at once get an entry each: that adds up. */
static struct entry *entry_new(struct profil_wide *wide, struct entry **head,
			       uintptr_t from, uintptr_t self)
{
	uint32_t *used = &wide->wiped->used;
	uint32_t number = __atomic_load_n(used, __ATOMIC_RELAXED);
	struct entry *entry;

	do {
		if (number >= PROFIL_WIDE_MAX ||
		    (!__atomic_load_n(&wide->chunks[chunk_of(number)],
				      __ATOMIC_RELAXED) &&
		     !chunk_add(wide, chunk_of(number))))
			return NULL;
	} while (!__atomic_compare_exchange_n(used, &number, number + 1, false,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	entry = entry_at(wide, number);
	entry->from = from;
	entry->self = self;
	entry->next = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(head, &entry->next, entry, false,
					    __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	return entry;
}

bool profil_wide_count(struct profil_wide *wide, uintptr_t from,
		       uintptr_t self)
{
	struct entry **head = &wide->wiped->heads[chain_of(from, self)];
	struct entry *entry = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	uint32_t steps;

	for (steps = 0; entry; steps++) {
		if (steps == STEPS_MAX)
			return false;
		if (entry->from == from && entry->self == self) {
			count_one(entry);
			return true;
		}
		entry = entry->next;
	}
	entry = entry_new(wide, head, from, self);
	if (!entry)
		return false;
	count_one(entry);
	return true;
}

uint32_t profil_wide_used(const struct profil_wide *wide)
{
	return __atomic_load_n(&wide->wiped->used, __ATOMIC_ACQUIRE);
}

/* A call that is being counted meanwhile is in the next one's hand. */
uint64_t profil_wide_take(struct profil_wide *wide, uint32_t number)
{
	struct entry *entry = entry_at(wide, number);
	uint64_t calls;

	calls = __atomic_exchange_n(&entry->count[0], 0, __ATOMIC_ACQ_REL);
	return calls | (uint64_t)__atomic_exchange_n(&entry->count[1], 0,
						     __ATOMIC_ACQ_REL) << 32;
}

uintptr_t profil_wide_from(const struct profil_wide *wide, uint32_t number)
{
	return entry_at(wide, number)->from;
}

uintptr_t profil_wide_self(const struct profil_wide *wide, uint32_t number)
{
	return entry_at(wide, number)->self;
}

bool profil_wide_stuck(const struct profil_wide *wide)
{
	return __atomic_load_n(&wide->stuck, __ATOMIC_RELAXED);
}

void profil_wide_retry(struct profil_wide *wide)
{
	__atomic_store_n(&wide->stuck, false, __ATOMIC_RELAXED);
}

/* The first chunk comes along: most programs need no other. */
struct profil_wide *profil_wide_alloc(void)
{
	size_t stays = (sizeof(struct profil_wide) + profil_page_size() - 1) &
		       -profil_page_size();
	struct profil_wide *wide = profil_map(stays, sizeof(struct wiped));

	if (!wide)
		return NULL;
	wide->wiped = (struct wiped *)((char *)wide + stays);
	chunk_add(wide, 0);
	return wide;
}
