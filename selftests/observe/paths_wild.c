// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks that lie: where a word is not the thread's or not in memory, nothing is
 * read, and the path ends there.
 */
#include "userfault_test.h"
#include "walk_test.h"

FIXTURE(paths_wild) {
	struct observer *o;
	uint32_t image;
	uint32_t object;	/* of the section paths */
	int mem;
};

FIXTURE_SETUP(paths_wild)
{
	self->o = paths_follow(_metadata, 255, &self->image, &self->mem);
	ASSERT_EQ(0, paths_object(self->o->fd, &self->object));
}

FIXTURE_TEARDOWN(paths_wild)
{
	paths_unfollow(self->o, self->mem);
}

/* A bp that leads nowhere; what is read there would be a frame. */
TEST_F(paths_wild, wild_bp_reads_nothing)
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
TEST_F(paths_wild, word_not_in_memory_is_unreadable)
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

TEST_F(paths_wild, forged_signal_frame_reads_nothing)
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

TEST_HARNESS_MAIN
