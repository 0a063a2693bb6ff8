// SPDX-License-Identifier: MIT
/* Sets of numbers by hash. */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "hash.h"
#include "util.h"

uint64_t hash_seed(void)
{
	static uint64_t seed;
	const void *random;

	if (!seed) {
		random = (const void *)getauxval(AT_RANDOM);
		if (random)
			memcpy(&seed, random, sizeof(seed));
		seed |= 1;
	}
	return seed;
}

uint64_t hash_u64(uint64_t hash, uint64_t number)
{
	hash ^= number;
	hash *= 0xff51afd7ed558ccdULL;
	return hash ^ (hash >> 33);
}

uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = hash_u64(hash, word);
		bytes += sizeof(word);
	}
	word = size;
	while (size--)
		word = word << 8 | *bytes++;
	return hash_u64(hash, word);
}

uint64_t hash_pointer(uint64_t hash, const void *pointer)
{
	return hash_u64(hash, (uintptr_t)pointer);
}

static void table_put(struct table *table, uint64_t hash, uint64_t value)
{
	size_t i = hash & (table->size - 1);

	while (table->slots[i].value)
		i = (i + 1) & (table->size - 1);
	table->slots[i] = (struct slot){ hash, value };
	table->used++;
}

void table_add(struct table *table, uint64_t hash, uint64_t value)
{
	struct table old = *table;
	size_t i;

	if (2 * (table->used + 1) > table->size) {
		table->size = old.size ? 2 * old.size : 64;
		table->slots = xcalloc(table->size, sizeof(*table->slots));
		table->used = 0;
		for (i = 0; i < old.size; i++)
			if (old.slots[i].value)
				table_put(table, old.slots[i].hash,
					  old.slots[i].value);
		free(old.slots);
	}
	table_put(table, hash, value);
}

uint64_t table_next(const struct table *table, uint64_t hash, size_t *at)
{
	if (!table->size)
		return 0;
	*at = *at == SIZE_MAX ? hash & (table->size - 1) :
				(*at + 1) & (table->size - 1);
	while (table->slots[*at].value) {
		if (table->slots[*at].hash == hash)
			return table->slots[*at].value;
		*at = (*at + 1) & (table->size - 1);
	}
	return 0;
}

void table_free(struct table *table)
{
	free(table->slots);
	free(table);
}
