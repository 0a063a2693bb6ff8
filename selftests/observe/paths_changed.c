// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that are kept from the sample before: where a word of them has changed
 * since, the stack is walked anew.  New maps bring new rules.
 */
#include "walk_test.h"

FIXTURE(paths_changed) {
	struct observer *o;
	uint32_t image;
	uint32_t object;	/* of the section paths */
	int mem;
};

FIXTURE_SETUP(paths_changed)
{
	self->o = paths_follow(_metadata, 255, &self->image, &self->mem);
	ASSERT_EQ(0, paths_object(self->o->fd, &self->object));
}

FIXTURE_TEARDOWN(paths_changed)
{
	paths_unfollow(self->o, self->mem);
}

/* As below the first frame of a coroutine; then the word changes. */
TEST_F(paths_changed, return_address_of_0_is_whole)
{
	static uint64_t frame[80];
	uint64_t high = addr(&frame[40]);

	ASSERT_EQ(0, GIVE(ALL(self->object)));
	forge(frame, addr(paths_with_bp_loop), addr(frame), high);
	RUN(paths_with_sp, addr(frame), paths_with_sp_loop, paths_with_sp_end,
	    PROFIL_PATH_WHOLE, addr(paths_with_bp_loop));
	frame[41] = addr(paths_top_back);
	RUN(paths_with_sp, addr(frame), paths_with_sp_loop, paths_with_sp_end,
	    PROFIL_PATH_WHOLE, addr(paths_top_back), addr(paths_with_bp_loop));
}

/* A table of the same functions, by which each path ends in paths_sub. */
static int object_that_ends(int fd, uint32_t *id)
{
	struct row rows[PATHS_ROWS];
	char table[TABLE_MAX];
	uint32_t i;

	memcpy(rows, paths_rows, sizeof(rows));
	for (i = 0; i < PATHS_ROWS; i++)
		if (rows[i].at == paths_sub_body)
			rows[i].rule = (struct profil_unwind_rule) {
				.kind = PROFIL_RULE_END,
			};
	return unwind_object(fd, table, table_of(table, rows, PATHS_ROWS), id);
}

#define LONG								\
	EXPECT_PATH(paths_leaf, paths_sub, PROFIL_PATH_WHOLE,		\
		    addr(paths_top_back), addr(paths_bp_back),		\
		    addr(paths_sub_back))
#define SHORT								\
	EXPECT_PATH(paths_leaf, paths_sub, PROFIL_PATH_WHOLE,		\
		    addr(paths_sub_back))

static bool runs_with(struct observer *o, struct expect expect)
{
	run_for(o, paths_top, 0, &expect);
	return expect.right && !expect.wrong;
}

/* A rule that was found is kept, for as long as the maps are the same. */
TEST_F(paths_changed, new_maps_have_rules_of_their_own)
{
	uint32_t ends;
	int i;

	ASSERT_EQ(0, object_that_ends(self->o->fd, &ends));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, GIVE(ALL(self->object)));
		EXPECT_TRUE(runs_with(self->o, LONG));
		ASSERT_EQ(0, GIVE(ALL(ends)));
		EXPECT_TRUE(runs_with(self->o, SHORT));
	}
}

static void burn_top(unsigned int ms)
{
	uint64_t end = cpu_ns() + ms * 1000000ULL;

	while (cpu_ns() < end)
		call_1(paths_top, ROUNDS);
}

/* The image of a child that has been sampled, or 0. */
static uint32_t image_of_child(struct observer *o, pid_t pid)
{
	int tries = 100;
	uint32_t i;

	while (!swap_chains(o, NULL, NULL) && tries--) {
		for (i = 0; i < o->nr_images; i++)
			if (o->image[i].pid == pid)
				return o->image[i].number;
		usleep(20000);
	}
	return 0;
}

/* What the paths of two images should be. */
struct two {
	uint32_t image[2];
	struct expect expect[2];
};

static void check_two(void *data, const struct chain *chain)
{
	struct two *two = data;
	int i;

	for (i = 0; i < 2; i++)
		if (chain->image == two->image[i])
			check_chain(&two->expect[i], chain);
}

/* Two processes in turn on one CPU, with the same text at the same addresses. */
TEST_F(paths_changed, process_has_rules_of_its_own)
{
	struct two two = {
		.expect = { LONG, SHORT },
	};
	cpu_set_t cpus;
	uint32_t ends;
	pid_t pid;
	int mem;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
	ASSERT_EQ(0, object_that_ends(self->o->fd, &ends));
	ASSERT_EQ(0, GIVE(ALL(self->object)));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			burn_top(1000);
	}
	two.image[0] = self->image;
	two.image[1] = image_of_child(self->o, pid);
	EXPECT_NE(0, two.image[1]);
	mem = open_mem(pid);
	EXPECT_EQ(0, give_map(self->o, two.image[1], mem, ALL(ends)));
	close(mem);
	swap_chains(self->o, NULL, NULL);
	swap_chains(self->o, NULL, NULL);
	burn_top(600);
	swap_chains(self->o, check_two, &two);
	swap_chains(self->o, check_two, &two);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_LT(100, two.expect[0].right);
	EXPECT_EQ(0, two.expect[0].wrong);
	EXPECT_LT(100, two.expect[1].right);
	EXPECT_EQ(0, two.expect[1].wrong);
	EXPECT_TRUE(self->o->balanced);
}

/* Which of two places each call of paths_deep came from, and how many. */
static const struct {
	uint64_t places;
	uint32_t nr;
} shapes[] = {
	{ 0, 30 }, { 1, 30 }, { 1 << 29, 31 }, { 0x12345678, 30 },
	{ 0x12345678, 12 }, { 0x12345679, 12 }, { 0x13345678, 31 },
};

#define SHAPES	(sizeof(shapes) / sizeof(*shapes))

static bool has_shape(const struct chain *chain, uint32_t shape)
{
	uint32_t i;

	/* How it ended, this program's call, the calls among themselves, pc. */
	if (chain->nr != shapes[shape].nr + 2)
		return false;
	for (i = 0; i + 1 < shapes[shape].nr; i++)
		if (chain->pc[i + 2] != (shapes[shape].places >> i & 1 ?
		    addr(paths_deep_other) : addr(paths_deep_back)))
			return false;
	return true;
}

struct shapes_seen {
	uint64_t of[SHAPES];
	uint64_t other;
};

static void check_shape(void *data, const struct chain *chain)
{
	uint64_t pc = chain->pc[chain->nr - 1];
	struct shapes_seen *seen = data;
	uint32_t i;

	if (pc < addr(paths_deep_loop) || pc >= addr(paths_deep_end))
		return;
	for (i = 0; i < SHAPES; i++)
		if (has_shape(chain, i))
			break;
	if (i < SHAPES)
		seen->of[i] += chain->count;
	else
		seen->other += chain->count;
}

static void *run_shapes(void *unused)
{
	uint64_t end = cpu_ns() + 400000000;
	unsigned int seed = getpid(), shape;

	while (cpu_ns() < end) {
		shape = rand_r(&seed) % SHAPES;
		call_3(paths_deep, rand_r(&seed) % 200000 + 1,
		       shapes[shape].nr, shapes[shape].places);
	}
	return NULL;
}

/* By two threads, and by processes with their stacks at the same addresses. */
TEST_F(paths_changed, changed_frames_are_walked_anew)
{
	struct shapes_seen seen = {};
	pthread_t thread;
	uint32_t i;
	pid_t pid[3];

	ASSERT_EQ(0, GIVE(ALL(PROFIL_UNWIND_FRAME_POINTERS)));
	for (i = 0; i < 3; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			run_shapes(NULL);
			_exit(0);
		}
	}
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_shapes, NULL));
	for (i = 0; i < 8; i++) {
		run_shapes(NULL);
		swap_chains(self->o, check_shape, &seen);
	}
	pthread_join(thread, NULL);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, end_of(pid[i]));
	swap_chains(self->o, check_shape, &seen);
	swap_chains(self->o, check_shape, &seen);
	EXPECT_TRUE(self->o->balanced);
	EXPECT_EQ(0, seen.other);
	for (i = 0; i < SHAPES; i++)
		EXPECT_LT(0, seen.of[i]);
}

/* Two paths, told apart by the innermost caller. */
static void check_either(void *data, const struct chain *chain)
{
	struct expect *e = data;
	uint64_t caller = chain->nr > 1 ? chain->pc[chain->nr - 2] : 0;

	if (caller == addr(paths_with_bp_loop))
		check_chain(&e[0], chain);
	else if (caller == addr(paths_bp_body))
		check_chain(&e[1], chain);
}

/*
 * The pc that a signal interrupted is at first the return address of its handler,
 * so that the same word tells of both; and then another.
 */
TEST_F(paths_changed, changed_signal_frame_is_walked_anew)
{
	static uint64_t stack[512];
	uint64_t back = addr(paths_with_sp_end), end = cpu_ns() + 1000000000;
	struct expect e[2] = {
		EXPECT_PATH(paths_with_sp_loop, paths_with_sp_end,
			    PROFIL_PATH_NO_RULE, back, back,
			    addr(paths_with_bp_loop)),
		EXPECT_PATH(paths_with_sp_loop, paths_with_sp_end,
			    PROFIL_PATH_WHOLE, addr(paths_bp_body), back,
			    addr(paths_bp_body)),
	};

	ASSERT_EQ(0, GIVE(ALL(self->object)));
	/* Both handlers return by the same words, to the same signal frame. */
	forge(&stack[0], addr(paths_with_bp_loop), addr(&stack[80]),
	      addr(&stack[90]));
	forge(&stack[300], addr(paths_bp_body), addr(&stack[80]),
	      addr(&stack[90]));
	stack[91] = back;
	swap_chains(self->o, NULL, NULL);
	while (cpu_ns() < end) {
		forge(&stack[92], back, addr(&stack[200]), 0);
		call_2(paths_with_sp, ROUNDS, addr(&stack[0]));
		forge(&stack[92], addr(paths_bp_body), addr(&stack[200]),
		      addr(&stack[210]));
		call_2(paths_with_sp, ROUNDS, addr(&stack[300]));
	}
	swap_chains(self->o, check_either, e);
	swap_chains(self->o, check_either, e);
	EXPECT_LT(0, e[0].right);
	EXPECT_EQ(0, e[0].wrong);
	EXPECT_LT(0, e[1].right);
	EXPECT_EQ(0, e[1].wrong);
}

TEST_HARNESS_MAIN
