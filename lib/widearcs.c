// SPDX-License-Identifier: MIT
/*
 * Call counts by the full addresses of both ends, so that they need not be in
 * one object, and that whose they are can be asked later.
 *
 * As arcs.c: exact, without locks or allocation, compiled not to use vector
 * registers.  Entries are handed out one after the other and never taken back,
 * so that all can be read without a look at what is free; each is in one chain.
 */
#include "dso.h"

#define HEADS		65536u
/* A longer chain costs that much a call, and counts no more. */
#define STEPS_MAX	512

struct entry {
	uintptr_t from, self;
	uint32_t count[2];	/* low half first */
	uint32_t next;		/* number in the chain, from 1; 0 is its end */
};

struct profil_wide {
	uint32_t used;
	uint32_t heads[HEADS];
	struct entry entries[];
};

static inline uint32_t chain(uintptr_t from, uintptr_t self)
{
	uint32_t mix = (uint32_t)from * 0x9e3779b1u ^
		       (uint32_t)self * 0x85ebca77u;

	return (mix ^ mix >> 15) & (HEADS - 1);
}

static inline void bump(struct entry *entry)
{
	if (!__atomic_add_fetch(&entry->count[0], 1, __ATOMIC_RELAXED))
		__atomic_add_fetch(&entry->count[1], 1, __ATOMIC_RELAXED);
}

/* Two that come with the same arc at once get an entry each: that adds up. */
static struct entry *entry_new(struct profil_wide *wide, uint32_t *head,
			       uintptr_t from, uintptr_t self)
{
	struct entry *entry;
	uint32_t number;

	if (__atomic_load_n(&wide->used, __ATOMIC_RELAXED) >= PROFIL_WIDE_MAX)
		return NULL;
	number = __atomic_fetch_add(&wide->used, 1, __ATOMIC_RELAXED);
	if (number >= PROFIL_WIDE_MAX)
		return NULL;
	entry = &wide->entries[number];
	entry->from = from;
	entry->self = self;
	entry->next = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(head, &entry->next, number + 1,
					    false, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	return entry;
}

bool profil_wide_count(struct profil_wide *wide, uintptr_t from,
		       uintptr_t self)
{
	uint32_t *head = &wide->heads[chain(from, self)];
	uint32_t number = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	struct entry *entry;
	uint32_t steps;

	for (steps = 0; number; steps++) {
		if (steps == STEPS_MAX)
			return false;
		entry = &wide->entries[number - 1];
		if (entry->from == from && entry->self == self) {
			bump(entry);
			return true;
		}
		number = entry->next;
	}
	entry = entry_new(wide, head, from, self);
	if (!entry)
		return false;
	bump(entry);
	return true;
}

uint32_t profil_wide_used(const struct profil_wide *wide)
{
	uint32_t used = __atomic_load_n(&wide->used, __ATOMIC_ACQUIRE);

	return used < PROFIL_WIDE_MAX ? used : PROFIL_WIDE_MAX;
}

/* A call that is being counted meanwhile is in the next one's hand. */
uint64_t profil_wide_take(struct profil_wide *wide, uint32_t number)
{
	struct entry *entry = &wide->entries[number];
	uint64_t calls;

	calls = __atomic_exchange_n(&entry->count[0], 0, __ATOMIC_ACQ_REL);
	return calls | (uint64_t)__atomic_exchange_n(&entry->count[1], 0,
						     __ATOMIC_ACQ_REL) << 32;
}

uintptr_t profil_wide_from(const struct profil_wide *wide, uint32_t number)
{
	return wide->entries[number].from;
}

uintptr_t profil_wide_self(const struct profil_wide *wide, uint32_t number)
{
	return wide->entries[number].self;
}

struct profil_wide *profil_wide_alloc(void)
{
	return profil_map(0, sizeof(struct profil_wide) +
			     PROFIL_WIDE_MAX * sizeof(struct entry));
}
