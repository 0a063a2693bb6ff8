// SPDX-License-Identifier: MIT
/* A hash of the threads that were sampled. */
#include <stdlib.h>
#include <string.h>

#include "threads.h"
#include "util.h"

static struct thread *slots;		/* number 0: free */
static size_t nr_slots, nr_used;

static struct thread *slot_of(uint64_t number)
{
	size_t i = (size_t)(number * 0x9e3779b97f4a7c15ull >> 32);

	while (slots[i & (nr_slots - 1)].number &&
	       slots[i & (nr_slots - 1)].number != number)
		i++;
	return &slots[i & (nr_slots - 1)];
}

static void grow(void)
{
	struct thread *old = slots;
	size_t nr = nr_slots, i;

	nr_slots = nr ? 2 * nr : 256;
	slots = xcalloc(nr_slots, sizeof(*slots));
	for (i = 0; i < nr; i++)
		if (old[i].number)
			*slot_of(old[i].number) = old[i];
	free(old);
}

void threads_told(const struct profil_thread *record)
{
	struct thread *thread;

	if (!record->number)
		return;
	if (2 * nr_used >= nr_slots)
		grow();
	thread = slot_of(record->number);
	nr_used += !thread->number;
	thread->number = record->number;
	thread->tid = record->tid;
	memcpy(thread->comm, record->comm, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
}

const struct thread *threads_find(uint64_t number)
{
	const struct thread *thread = number && nr_slots ? slot_of(number) :
							   NULL;

	return thread && thread->number ? thread : NULL;
}
