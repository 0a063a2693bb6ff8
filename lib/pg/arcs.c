// SPDX-License-Identifier: MIT
/*
 * The call counts of the -pg run-time: exact with any number of threads and
 * in signal handlers, without locks, allocation or calls to anywhere.
 *
 * mcount.S comes here with the argument registers of a function about to run
 * saved, but not its vector registers: this file is compiled not to use them.
 */
#include "internal.h"

/* Slots looked at for a free one: a full table costs that much a call. */
#define PROBES_MAX	256

#define SLOTS_MIN	8192
#define SLOTS_MAX	2097152

/* NULL: calls are not counted. */
const struct profil_arcs *profil_arcs_on;

/* Twice as many as one call every 16 bytes of text takes. */
uint32_t profil_arcs_slots(uintptr_t text)
{
	uint32_t slots = SLOTS_MIN;

	while (slots < SLOTS_MAX && slots < text / 8)
		slots *= 2;
	return slots;
}

static inline uint32_t first_slot(uint32_t from, uint32_t self)
{
	uint32_t mix = from * 0x9e3779b1u ^ self * 0x85ebca77u;

	return mix ^ mix >> 15;
}

/*
 * Where a 64-bit load is not one access, half of a key may be seen.  That
 * matches nothing, and the arc may get a second slot: gprof adds them up.
 */
static inline uint64_t key_load(const uint64_t *key)
{
#if UINTPTR_MAX > 0xffffffffu
	return __atomic_load_n(key, __ATOMIC_RELAXED);
#else
	typedef uint32_t __attribute__((may_alias)) half;
	const half *halves = (const half *)key;

	return (uint64_t)__atomic_load_n(&halves[1], __ATOMIC_RELAXED) << 32 |
	       __atomic_load_n(&halves[0], __ATOMIC_RELAXED);
#endif
}

void profil_arc_count(uintptr_t from, uintptr_t self)
{
	const struct profil_arcs *arcs =
		__atomic_load_n(&profil_arcs_on, __ATOMIC_ACQUIRE);
	uint64_t key, seen;
	uint32_t slot, probe;

	if (!arcs)
		return;
	if (arcs->wide) {
		bool counted = profil_wide_count(arcs->wide, from, self);

		/* monitor() counts it too. */
		if (!arcs->by_function && !counted)
			goto lost;
		if (!arcs->by_function)
			return;
	}
	if (arcs->by_function)
		from = arcs->low;
	from -= arcs->low;
	self -= arcs->low;
	/* Called by, or in, text that has no names for gprof. */
	if (from > arcs->size || self > arcs->size)
		return;
	key = (uint64_t)from << 32 | self;
	slot = first_slot((uint32_t)from, (uint32_t)self);
	for (probe = 0; probe < PROBES_MAX; probe++, slot++) {
		struct profil_arc *arc = &arcs->slots[slot & arcs->mask];

		seen = key_load(&arc->key);
		/* Unlike __atomic, never a call to libatomic. */
		if (!seen)
			seen = __sync_val_compare_and_swap(&arc->key, 0, key);
		if (seen && seen != key)
			continue;
		if (!__atomic_add_fetch(&arc->count[0], 1, __ATOMIC_RELAXED))
			__atomic_add_fetch(&arc->count[1], 1, __ATOMIC_RELAXED);
		return;
	}
lost:
	__atomic_add_fetch(&arcs->wiped->calls_lost, 1, __ATOMIC_RELAXED);
}
