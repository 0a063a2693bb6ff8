/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The paths that known functions should have: a function runs until there are
 * hundreds of samples, and the path of each is compared.
 */
#ifndef PROFIL_WALK_TEST_H
#define PROFIL_WALK_TEST_H

#include "paths_test.h"

/* What the paths of pcs in some text should be. */
struct expect {
	const char *begin;
	const char *end;
	uint32_t nr;		/* of pc, without the sampled one */
	uint64_t pc[260];
	uint64_t right;
	uint64_t wrong;
};

static inline bool is_in(const struct expect *e, uint64_t pc)
{
	pc &= ~PROFIL_NODE_KERNEL;
	return pc >= addr(e->begin) && pc < addr(e->end);
}

static inline void check_chain(void *data, const struct chain *seen)
{
	struct expect *e = data;
	struct chain copy = *seen, *chain = &copy;
	uint32_t i;

	if (!is_in(e, chain->pc[chain->nr - 1]))
		return;
	/* A loop that was interrupted is at any of its instructions. */
	for (i = 0; i < chain->nr; i++)
		if (is_in(e, chain->pc[i]))
			chain->pc[i] = addr(e->begin);
	if (chain->nr == e->nr + 1 &&
	    !memcmp(chain->pc, e->pc, e->nr * sizeof(*e->pc))) {
		e->right += chain->count;
		return;
	}
	/* The harness ends a test without what is buffered. */
	if (!e->wrong)
		for (i = 0; i < chain->nr; i++)
			fprintf(stderr, "# %u of %u: %#llx\n", i, chain->nr,
				(unsigned long long)chain->pc[i]);
	e->wrong += chain->count;
}

#define EXPECT_PATH(first, last, ...)					\
	((struct expect) {						\
		.begin = first,						\
		.end = last,						\
		.nr = sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,		\
		.pc = { __VA_ARGS__ },					\
	})

/* For so long that there are hundreds of samples. */
static inline void run_for(struct observer *o, const char *function,
			   uint64_t value, struct expect *e)
{
	uint64_t end;
	int tries = 20;

	swap_chains(o, NULL, NULL);
	do {
		end = cpu_ns() + 200000000;
		while (cpu_ns() < end)
			call_3(function, ROUNDS, value, 0);
		swap_chains(o, check_chain, e);
	} while (e->right + e->wrong < 100 && --tries);
}

#define RUN(function, value, ...)					\
do {									\
	struct expect __e = EXPECT_PATH(__VA_ARGS__);			\
									\
	run_for(self->o, function, value, &__e);			\
	EXPECT_LT(0, __e.right);					\
	EXPECT_EQ(0, __e.wrong);					\
	EXPECT_TRUE(self->o->balanced);					\
} while (0)

static inline int give_map(const struct observer *o, uint32_t image, int mem,
			   struct profil_unwind_map map)
{
	return unwind_maps(o->fd, image, mem, &map, 1);
}

#define GIVE(map)	give_map(self->o, self->image, self->mem, map)
#define ALL(object)	map_of(__start_paths, __stop_paths, object)
#define ALL_FP		map_of(__start_paths_fp, __stop_paths_fp,	\
			       PROFIL_UNWIND_FRAME_POINTERS)

#ifdef __LP64__
/* The words of a signal frame, as a program can write them anywhere. */
static inline void forge(uint64_t *frame, uint64_t pc, uint64_t sp,
			 uint64_t bp)
{
	frame[SIGNAL_BP] = bp;
	frame[SIGNAL_SP] = sp;
	frame[SIGNAL_PC] = pc;
}
#endif /* __LP64__ */

#endif /* PROFIL_WALK_TEST_H */
