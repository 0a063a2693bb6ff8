// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call paths: those of known functions are whole, and each way in which one
 * ends is told.
 */
#include <sys/time.h>

#include "paths_test.h"
#include "userfault_test.h"

#ifdef __LP64__

FIXTURE(paths) {
	struct observer *o;
	uint32_t image;
	uint32_t object;	/* of the section paths */
	int mem;
};

FIXTURE_SETUP(paths)
{
	char table[TABLE_MAX];
	size_t bytes = table_of(table, paths_rows, PATHS_ROWS);

	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
	ASSERT_EQ(0, paths_open(self->o, 255));
	ASSERT_EQ(0, observe_join(self->o->fd, 0, 0, 0));
	self->image = paths_image(self->o);
	ASSERT_NE(0, self->image);
	self->mem = open_mem(getpid());
	ASSERT_LE(0, self->mem);
	ASSERT_EQ(0, unwind_object(self->o->fd, table, bytes, &self->object));
}

FIXTURE_TEARDOWN(paths)
{
	close(self->mem);
	observe_close(self->o);
	free(self->o);
}

/* What the paths of pcs in some text should be. */
struct expect {
	const char *begin;
	const char *end;
	uint32_t nr;		/* of pc, without the sampled one */
	uint64_t pc[260];
	uint64_t right;
	uint64_t wrong;
};

static bool is_in(const struct expect *e, uint64_t pc)
{
	pc &= ~PROFIL_NODE_KERNEL;
	return pc >= addr(e->begin) && pc < addr(e->end);
}

static void check_chain(void *data, const struct chain *seen)
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
	if (!e->wrong)
		for (i = 0; i < chain->nr; i++)
			ksft_print_msg("%u of %u: %#llx\n", i, chain->nr,
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
static void run_for(struct observer *o, const char *function, uint64_t value,
		    struct expect *e)
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

static int give_map(const struct observer *o, uint32_t image, int mem,
		    struct profil_unwind_map map)
{
	return unwind_maps(o->fd, image, mem, &map, 1);
}

#define GIVE(map)	give_map(self->o, self->image, self->mem, map)
#define ALL(object)	map_of(__start_paths, __stop_paths, object)
#define ALL_FP		map_of(__start_paths_fp, __stop_paths_fp,	\
			       PROFIL_UNWIND_FRAME_POINTERS)

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

/* The words of a signal frame, as a program can write them anywhere. */
static void forge(uint64_t *frame, uint64_t pc, uint64_t sp, uint64_t bp)
{
	frame[SIGNAL_BP] = bp;
	frame[SIGNAL_SP] = sp;
	frame[SIGNAL_PC] = pc;
}

/* As below the first frame of a coroutine; then the word changes. */
TEST_F(paths, return_address_of_0_is_whole)
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

/* A bp that leads nowhere; what is read there would be a frame. */
TEST_F(paths, wild_bp_reads_nothing)
{
	static const uint64_t bad[] = {
		1, 8, 1ULL << 63, 0xffff888000000000, 0xffffffff81000000,
		0xffffffffffffffef, -8ULL, 1ULL << 56, (1ULL << 56) - PAGE,
		(1ULL << 56) - PAGE - 8,
	};
	size_t i;

	ASSERT_EQ(0, GIVE(ALL(self->object)));
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		RUN(paths_with_bp, bad[i], paths_with_bp_loop, paths_with_sp,
		    PROFIL_PATH_WILD);
}

struct on_stack {
	struct observer *o;
	uint64_t bp;
	struct expect *e;
};

static void *run_on_stack(void *data)
{
	struct on_stack *on = data;

	run_for(on->o, paths_with_bp, on->bp, on->e);
	return NULL;
}

/* On a stack below a page that is not in memory, because sp has to go up. */
TEST_F(paths, word_not_in_memory_is_unreadable)
{
	size_t size = 256 * PAGE;
	char *stack = map_buffer(size + 2 * PAGE);
	struct expect e = EXPECT_PATH(paths_with_bp_loop, paths_with_sp,
				      PROFIL_PATH_UNREADABLE);
	struct on_stack on = { self->o, addr(stack) + size, &e };
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	ASSERT_EQ(0, pthread_attr_init(&attr));
	ASSERT_EQ(0, pthread_attr_setstack(&attr, stack, size));
	ASSERT_EQ(0, GIVE(ALL(self->object)));
	for (i = 0; i < 2; i++) {
		e.right = 0;
		ASSERT_EQ(0, pthread_create(&thread, &attr, run_on_stack, &on));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		EXPECT_LT(0, e.right);
		EXPECT_EQ(0, e.wrong);
		/* And then in one that another thread would have to give. */
		munmap(stack + size, PAGE);
		ASSERT_EQ(stack + size, mmap(stack + size, PAGE, PROT_READ,
					     MAP_PRIVATE | MAP_ANONYMOUS |
					     MAP_FIXED, -1, 0));
		if (!i && promise(stack + size, PAGE) < 0)
			break;
	}
}

TEST_F(paths, forged_signal_frame_reads_nothing)
{
	static uint64_t frame[80];
	uint64_t kernel = 0xffff888000000000, good = addr(&frame[40]);

	ASSERT_EQ(0, GIVE(ALL(self->object)));
	forge(frame, addr(paths_leaf), kernel, kernel);
	RUN(paths_with_sp, addr(frame), paths_with_sp_loop, paths_with_sp_end,
	    PROFIL_PATH_WILD);
	forge(frame, addr(paths_leaf), -8, kernel);
	RUN(paths_with_sp, addr(frame), paths_with_sp_loop, paths_with_sp_end,
	    PROFIL_PATH_WILD);
	forge(frame, addr(paths_bp_body), good, kernel);
	RUN(paths_with_sp, addr(frame), paths_with_sp_loop, paths_with_sp_end,
	    PROFIL_PATH_WILD, addr(paths_bp_body));
	forge(frame, kernel, good, good);
	RUN(paths_with_sp, addr(frame), paths_with_sp_loop, paths_with_sp_end,
	    PROFIL_PATH_UNMAPPED);
	/* A frame of its own that leads to itself ends at depth. */
	forge(frame, addr(paths_with_sp_loop), addr(frame), 0);
	frame[0] = 0;
	{
		struct expect e = EXPECT_PATH(paths_with_sp_loop,
					      paths_with_sp_end,
					      PROFIL_PATH_CUT);
		uint32_t i;

		for (i = 1; i < 255; i++)
			e.pc[e.nr++] = addr(paths_with_sp_loop);
		run_for(self->o, paths_with_sp, addr(frame), &e);
		EXPECT_LT(0, e.right);
		EXPECT_EQ(0, e.wrong);
	}
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
TEST_F(paths, changed_frames_are_walked_anew)
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
	run_for(self->o, paths_top, 0, &e);
	/* The interrupted pc is one of two, and some samples have no signal. */
	EXPECT_LT(0, e.right);
	ASSERT_EQ(0, setitimer(ITIMER_PROF, &off, NULL));
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
TEST_F(paths, changed_signal_frame_is_walked_anew)
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
	struct observer *o = calloc(1, sizeof(*o));
	struct profil_unwind_map map = map_of(__start_hot, __stop_hot,
					      PROFIL_UNWIND_FRAME_POINTERS);
	uint64_t seen[2] = { 0 };
	uint32_t image;
	int tries;

	NEED_FINE_TIMERS();
	ASSERT_EQ(0, paths_open(o, 20));
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	image = paths_image(o);
	ASSERT_NE(0, image);
	ASSERT_EQ(0, unwind_maps(o->fd, image, open_mem(getpid()), &map, 1));
	swap_chains(o, NULL, NULL);
	for (tries = 0; tries < 20 && seen[1] < 100; tries++) {
		hot_a(3000000);
		swap_chains(o, see_end, seen);
	}
	EXPECT_LT(0, seen[1]);
	EXPECT_EQ(0, seen[0]);
}

#endif /* __LP64__ */

TEST_HARNESS_MAIN
