// SPDX-License-Identifier: MIT
/*
 * The calls of an object, by its link-time addresses: what outlives the place
 * where it was loaded.  Under gmon.c's lock, also in a signal handler: no
 * malloc.
 */
#include <string.h>
#include <sys/mman.h>

#include "pg/calls.h"

#define SLOTS_MIN	128

static size_t wiped_size(uint32_t nr)
{
	return sizeof(struct profil_kept_call) * (nr + 1);
}

/* A page that stays; then, wiped, the number in use and the slots. */
static struct profil_kept *kept_alloc(uint32_t nr)
{
	size_t page = profil_page_size();
	char *map = profil_map(page, wiped_size(nr));
	struct profil_kept *kept = (struct profil_kept *)map;

	if (!map)
		return NULL;
	kept->mask = nr - 1;
	kept->used = (uint32_t *)(map + page);
	kept->slots = (struct profil_kept_call *)(map + page) + 1;
	return kept;
}

static void add_calls(struct profil_kept *kept, uintptr_t from, uintptr_t self,
		      uint64_t calls)
{
	uint32_t slot = (uint32_t)from * 0x9e3779b1u ^
			(uint32_t)self * 0x85ebca77u;
	struct profil_kept_call *call;

	for (slot ^= slot >> 15; ; slot++) {
		call = &kept->slots[slot & kept->mask];
		if (!call->calls) {
			call->from = from;
			call->self = self;
			++*kept->used;
			break;
		}
		if (call->from == from && call->self == self)
			break;
	}
	call->calls += calls;
}

/* A child that is forked meanwhile finds one table or the other. */
static int grow_kept(struct profil_kept **kept)
{
	struct profil_kept *old = *kept;
	struct profil_kept *new;
	uint32_t nr = old ? old->mask + 1 : 0;
	uint32_t slot;

	new = kept_alloc(old ? 2 * nr : SLOTS_MIN);
	if (!new)
		return -1;
	for (slot = 0; slot < nr; slot++)
		if (old->slots[slot].calls)
			add_calls(new, old->slots[slot].from,
				  old->slots[slot].self,
				  old->slots[slot].calls);
	__atomic_store_n(kept, new, __ATOMIC_RELEASE);
	if (old)
		munmap(old, profil_page_size() + wiped_size(nr));
	return 0;
}

int profil_kept_add(struct profil_kept **kept, uintptr_t from, uintptr_t self,
		    uint64_t calls)
{
	if ((!*kept || *(*kept)->used > (*kept)->mask / 4 * 3) &&
	    grow_kept(kept) != 0)
		return -1;
	add_calls(*kept, from, self, calls);
	return 0;
}

void profil_kept_forget(struct profil_kept *kept)
{
	if (!kept)
		return;
	*kept->used = 0;
	memset(kept->slots, 0, sizeof(*kept->slots) * (kept->mask + 1));
}
