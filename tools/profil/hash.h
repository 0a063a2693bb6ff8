/* SPDX-License-Identifier: MIT */
/* Sets of numbers by hash, for those that make nothing twice. */
#ifndef PROFIL_HASH_H
#define PROFIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Open addressing; 0 is a free slot.  The caller compares each number that has
 * the hash.
 */
struct table {
	struct slot {
		uint64_t hash;
		uint64_t value;
	} *slots;
	size_t size;		/* a power of two, or 0 */
	size_t used;
};

/* Secret, because a hostile file could else be all collisions. */
uint64_t hash_seed(void);
uint64_t hash_bytes(uint64_t hash, const void *data, size_t size);
uint64_t hash_u64(uint64_t hash, uint64_t number);
uint64_t hash_pointer(uint64_t hash, const void *pointer);

void table_add(struct table *table, uint64_t hash, uint64_t value);
/* The next value with this hash; *at begins at SIZE_MAX.  0: no more. */
uint64_t table_next(const struct table *table, uint64_t hash, size_t *at);
/* The table too, which was allocated. */
void table_free(struct table *table);

#endif /* PROFIL_HASH_H */
