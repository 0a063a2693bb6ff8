/* SPDX-License-Identifier: GPL-2.0-only */
/* Two running threads that ask for a number in turn: it must never go back. */
#ifndef PROFIL_TURNS_TEST_H
#define PROFIL_TURNS_TEST_H

#include <pthread.h>
#include <stdint.h>

#include "profil_test.h"

#define TURNS	300

struct turns {
	uint64_t (*ask)(void *arg);
	void *arg;
	unsigned int turn;
	uint64_t last, back;
};

/* The thread whose turn it is not runs on, so that its last part is in no sum. */
static inline void take_turns(struct turns *t, unsigned int mine)
{
	unsigned int turn;
	uint64_t told;

	while ((turn = __atomic_load_n(&t->turn, __ATOMIC_ACQUIRE)) < TURNS) {
		if (turn % 2 != mine)
			continue;
		hot_a(50000);
		told = t->ask(t->arg);
		if (told < t->last && t->last - told > t->back)
			t->back = t->last - told;
		t->last = told;
		__atomic_add_fetch(&t->turn, 1, __ATOMIC_RELEASE);
	}
}

static inline void *take_second_turns(void *t)
{
	take_turns(t, 1);
	return NULL;
}

/* Returns by how much the answer went back at most. */
static inline uint64_t back_between_threads(uint64_t (*ask)(void *arg), void *arg)
{
	struct turns turns = { .ask = ask, .arg = arg };
	pthread_t other;

	if (pthread_create(&other, NULL, take_second_turns, &turns))
		return UINT64_MAX;
	take_turns(&turns, 0);
	pthread_join(other, NULL);
	return turns.back;
}

#endif /* PROFIL_TURNS_TEST_H */
