// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call paths: those of known functions are whole, and why one ends is told.
 */
#include <sys/time.h>

#include "walk_test.h"

#ifdef __LP64__

FIXTURE(paths) {
	struct observer *o;
	uint32_t image;
	uint32_t object;	/* of the section paths */
	int mem;
};

FIXTURE_SETUP(paths)
{
	self->o = paths_follow(_metadata, 255, &self->image, &self->mem);
	ASSERT_EQ(0, paths_object(self->o->fd, &self->object));
}

FIXTURE_TEARDOWN(paths)
{
	paths_unfollow(self->o, self->mem);
}

TEST_F(paths, frame_pointers_give_whole_path)
{
	ASSERT_EQ(0, GIVE(ALL_FP));
	RUN(paths_fp_top, 0, paths_fp_loop, paths_fp_middle, PROFIL_PATH_WHOLE,
	    addr(paths_fp_top_back), addr(paths_fp_middle_back));
}

TEST_F(paths, table_gives_whole_path)
{
	ASSERT_EQ(0, GIVE(ALL(self->object)));
	RUN(paths_top, 0, paths_leaf, paths_sub, PROFIL_PATH_WHOLE,
	    addr(paths_top_back), addr(paths_bp_back), addr(paths_sub_back));
}

/* The registers are those at the entry to the kernel. */
TEST_F(paths, sample_in_a_system_call_has_its_path)
{
	uint64_t kernel = self->o->kernel;

	ASSERT_EQ(0, GIVE(ALL(self->object)));
	RUN(paths_system, 0, paths_enter, paths_with_bp, PROFIL_PATH_WHOLE,
	    addr(paths_system_back));
	EXPECT_LT(kernel, self->o->kernel);
}

TEST_F(paths, image_without_maps_has_pcs_alone)
{
	struct expect e = { .begin = paths_leaf, .end = paths_sub };

	run_for(self->o, paths_top, 0, &e);
	EXPECT_LT(0, e.right);
	EXPECT_EQ(0, e.wrong);
	ASSERT_EQ(0, GIVE(ALL(self->object)));
	ASSERT_EQ(0, unwind_maps(self->o->fd, self->image, self->mem, NULL, 0));
	run_for(self->o, paths_top, 0, &e);
	EXPECT_EQ(0, e.wrong);
}

TEST_F(paths, pc_without_map_ends_the_path)
{
	ASSERT_EQ(0, GIVE(map_of(__start_paths, paths_bp, self->object)));
	RUN(paths_top, 0, paths_leaf, paths_sub, PROFIL_PATH_UNMAPPED,
	    addr(paths_bp_back), addr(paths_sub_back));
	ASSERT_EQ(0, GIVE(ALL_FP));
	RUN(paths_top, 0, paths_leaf, paths_sub, PROFIL_PATH_UNMAPPED);
}

TEST_F(paths, object_without_table_ends_the_path)
{
	struct profil_unwind_map maps[] = {
		map_of(__start_paths, paths_bp, self->object),
		map_of(paths_bp, __stop_paths, 0),
	};

	ASSERT_EQ(0, unwind_maps(self->o->fd, self->image, self->mem, maps, 2));
	RUN(paths_top, 0, paths_leaf, paths_sub, PROFIL_PATH_NO_TABLE,
	    addr(paths_bp_back), addr(paths_sub_back));
}

TEST_F(paths, pc_without_rule_ends_the_path)
{
	struct row rows[] = {
		paths_rows[0],
		{ paths_sub, { 0, 0, PROFIL_RULE_NONE } },
	};
	char table[TABLE_MAX];
	uint32_t object;

	ASSERT_EQ(0, unwind_object(self->o->fd, table, table_of(table, rows, 2),
				   &object));
	ASSERT_EQ(0, GIVE(ALL(object)));
	RUN(paths_top, 0, paths_leaf, paths_sub, PROFIL_PATH_NO_RULE,
	    addr(paths_sub_back));
}

TEST_F(paths, deep_path_is_cut_at_depth)
{
	struct expect e = EXPECT_PATH(paths_deep_loop, paths_deep_end,
				      PROFIL_PATH_CUT);
	uint32_t i;

	for (i = 1; i < 255; i++)
		e.pc[e.nr++] = addr(paths_deep_back);
	ASSERT_EQ(0, GIVE(ALL(PROFIL_UNWIND_FRAME_POINTERS)));
	run_for(self->o, paths_deep, 5000, &e);
	EXPECT_LT(0, e.right);
	EXPECT_EQ(0, e.wrong);
}

static uint64_t restorer;

static void learn_restorer(int sig)
{
	restorer = addr(__builtin_return_address(0));
}

TEST_F(paths, signal_frame_leads_to_interrupted)
{
	struct row row = { __start_paths, { 0, 0, PROFIL_RULE_SIGNAL } };
	struct itimerval often = { { 0, 30000 }, { 0, 30000 } }, off = {};
	struct profil_unwind_map maps[2] = { ALL(self->object) };
	char table[TABLE_MAX];
	struct expect e;
	int tries = 20;

	signal(SIGPROF, learn_restorer);
	raise(SIGPROF);
	ASSERT_NE(0, restorer);
	ASSERT_EQ(0, unwind_object(self->o->fd, table, table_of(table, &row, 1),
				   &maps[1].object));
	maps[1].start = restorer - 1;
	maps[1].length = 16;
	ASSERT_LT(maps[0].start, maps[1].start);
	ASSERT_EQ(0, unwind_maps(self->o->fd, self->image, self->mem, maps, 2));
	signal(SIGPROF, (void (*)(int))paths_signal);
	ASSERT_EQ(0, setitimer(ITIMER_PROF, &often, NULL));
	e = EXPECT_PATH(paths_leaf, paths_sub, PROFIL_PATH_WHOLE,
			addr(paths_top_back), addr(paths_bp_back),
			addr(paths_sub_back), addr(paths_leaf), restorer,
			addr(paths_signal_back));
	/* The interrupted pc is one of two, and some samples have no signal. */
	do {
		run_for(self->o, paths_top, 0, &e);
	} while (!e.right && --tries);
	EXPECT_LT(0, e.right);
	ASSERT_EQ(0, setitimer(ITIMER_PROF, &off, NULL));
}

#else

static void see_end(void *data, const struct chain *chain)
{
	uint64_t pc = chain->pc[chain->nr - 1], *seen = data;

	if (pc < addr(__start_hot) || pc >= addr(__stop_hot))
		return;
	seen[chain->nr == 2 && chain->pc[0] == PROFIL_PATH_NOT_64] += chain->count;
}

TEST(program_of_32_bits_is_told_not_walked)
{
	struct profil_unwind_map map = map_of(__start_hot, __stop_hot,
					      PROFIL_UNWIND_FRAME_POINTERS);
	uint64_t seen[2] = { 0 };
	struct observer *o;
	uint32_t image;
	int tries, mem;

	o = paths_follow(_metadata, 20, &image, &mem);
	ASSERT_EQ(0, unwind_maps(o->fd, image, mem, &map, 1));
	swap_chains(o, NULL, NULL);
	for (tries = 0; tries < 20 && seen[1] < 100; tries++) {
		hot_a(3000000);
		swap_chains(o, see_end, seen);
	}
	EXPECT_LT(0, seen[1]);
	EXPECT_EQ(0, seen[0]);
	paths_unfollow(o, mem);
}

#endif /* __LP64__ */

TEST_HARNESS_MAIN
