// SPDX-License-Identifier: GPL-2.0-only
/*
 * What samples have of the tables and maps that were given: in a forked child,
 * after exec, in two observers, and where there is no more room.
 */
#include "paths_test.h"

FIXTURE(paths_life) {
	struct observer *o;
	uint32_t image;
	int mem;
};

FIXTURE_SETUP(paths_life)
{
	self->o = paths_follow(_metadata, 20, &self->image, &self->mem);
}

FIXTURE_TEARDOWN(paths_life)
{
	paths_unfollow(self->o, self->mem);
}

static int give(const struct observer *o, uint32_t image, int mem,
		uint32_t *object)
{
	int err = paths_object(o->fd, object);
	struct profil_unwind_map map = map_of(__start_paths, __stop_paths,
					      *object);

	return err ? err : unwind_maps(o->fd, image, mem, &map, 1);
}

/* Paths of paths_leaf, by image. */
struct seen {
	uint64_t whole[IMAGES];
	uint64_t alone[IMAGES];
};

static void see_leaf(void *data, const struct chain *chain)
{
	struct seen *seen = data;
	uint64_t pc = chain->pc[chain->nr - 1];

	if (pc < addr(paths_leaf) || pc >= addr(paths_sub))
		return;
	if (chain->nr == 1)
		seen->alone[chain->image] += chain->count;
	else if (chain->nr == 5 && chain->pc[0] == PROFIL_PATH_WHOLE &&
		 chain->pc[1] == addr(paths_top_back))
		seen->whole[chain->image] += chain->count;
}

static void burn_path(void)
{
	uint64_t end = cpu_ns() + 150000000;

	while (cpu_ns() < end)
		call_1(paths_top, ROUNDS);
}

TEST_F(paths_life, forked_child_has_its_parents_maps)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	uint32_t object, i, children = 0;
	pid_t pid;

	ASSERT_EQ(0, give(self->o, self->image, self->mem, &object));
	pid = fork();
	if (!pid) {
		burn_path();
		_exit(0);
	}
	EXPECT_EQ(0, end_of(pid));
	ASSERT_EQ(0, swap_chains(self->o, see_leaf, seen));
	ASSERT_EQ(0, swap_chains(self->o, see_leaf, seen));
	for (i = 0; i < self->o->nr_images; i++) {
		if (self->o->image[i].how != PROFIL_IMAGE_FORK)
			continue;
		children++;
		EXPECT_LT(0, seen->whole[self->o->image[i].number]);
		EXPECT_EQ(0, seen->alone[self->o->image[i].number]);
	}
	EXPECT_EQ(1, children);
	free(seen);
}

/* This program again: it takes the path, and no more. */
__attribute__((constructor)) static void burn_if_told(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "burn")) {
		burn_path();
		_exit(0);
	}
}

/* The new program lies elsewhere: all of its samples are pcs alone. */
static void see_paths(void *data, const struct chain *chain)
{
	((uint64_t *)data)[2 * chain->image + (chain->nr > 1)] += chain->count;
}

TEST_F(paths_life, exec_has_pcs_alone)
{
	uint64_t *by_image = calloc(2 * IMAGES, sizeof(*by_image));
	uint32_t object, i, tries, execs = 0;
	pid_t pid;

	ASSERT_EQ(0, give(self->o, self->image, self->mem, &object));
	/* All samples of one may be lost where the machine stands still. */
	for (tries = 0; tries < 10 && !execs; tries++) {
		pid = fork();
		if (!pid) {
			execl("/proc/self/exe", "burn", "burn", NULL);
			_exit(1);
		}
		EXPECT_EQ(0, end_of(pid));
		ASSERT_EQ(0, swap_chains(self->o, see_paths, by_image));
		ASSERT_EQ(0, swap_chains(self->o, see_paths, by_image));
		for (i = 0; i < self->o->nr_images; i++)
			execs += self->o->image[i].how == PROFIL_IMAGE_EXEC;
	}
	TH_LOG("%u tries, %llu of %llu lost", tries, self->o->sum.lost,
	       self->o->sum.seen);
	for (i = 0; i < self->o->nr_images; i++) {
		if (self->o->image[i].how != PROFIL_IMAGE_EXEC)
			continue;
		EXPECT_LT(0, by_image[2 * self->o->image[i].number]);
		EXPECT_EQ(0, by_image[2 * self->o->image[i].number + 1]);
	}
	EXPECT_EQ(1, execs);
	free(by_image);
}

TEST_F(paths_life, dropped_object_stays_in_its_maps)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	struct profil_unwind_map map;
	uint32_t object;

	ASSERT_EQ(0, give(self->o, self->image, self->mem, &object));
	ASSERT_EQ(0, unwind_drop(self->o->fd, object));
	EXPECT_EQ(ENOENT, unwind_drop(self->o->fd, object));
	map = map_of(__start_paths, __stop_paths, object);
	EXPECT_EQ(ENOENT, unwind_maps(self->o->fd, self->image, self->mem, &map,
				      1));
	burn_path();
	ASSERT_EQ(0, swap_chains(self->o, see_leaf, seen));
	EXPECT_LT(0, seen->whole[self->image]);
	EXPECT_EQ(0, seen->alone[self->image]);
	free(seen);
}

TEST_F(paths_life, two_observers_have_own_depths)
{
	struct seen *deep = calloc(1, sizeof(*deep));
	struct observer *other = calloc(1, sizeof(*other));
	uint32_t object, i, cut = 0;
	struct profil_unwind_map map;
	uint64_t *by_image = calloc(2 * IMAGES, sizeof(*by_image));

	ASSERT_EQ(0, give(self->o, self->image, self->mem, &object));
	ASSERT_EQ(0, paths_open(other, 2));
	ASSERT_EQ(0, observe_join(other->fd, 0, 0, 0));
	i = paths_image(other);
	map = map_of(__start_paths, __stop_paths, 1);
	EXPECT_EQ(ENOENT, unwind_maps(other->fd, i, self->mem, &map, 1));
	map.object = PROFIL_UNWIND_FRAME_POINTERS;
	ASSERT_EQ(0, unwind_maps(other->fd, i, self->mem, &map, 1));
	burn_path();
	ASSERT_EQ(0, swap_chains(self->o, see_leaf, deep));
	EXPECT_LT(0, deep->whole[self->image]);
	ASSERT_EQ(0, swap_chains(other, see_paths, by_image));
	cut = by_image[2 * i + 1];
	EXPECT_LT(0, cut);
	EXPECT_TRUE(other->balanced);
	EXPECT_TRUE(self->o->balanced);
	observe_close(other);
	free(other);
	free(deep);
	free(by_image);
}

static void see_room(void *data, const struct chain *chain)
{
	if (chain->nr > 1 && chain->pc[0] == PROFIL_PATH_NO_ROOM)
		*(uint64_t *)data += chain->count;
}

/* Random returns, so that paths share few nodes. */
TEST_F(paths_life, full_half_counts_pcs_and_tells)
{
	struct profil_unwind_map map = map_of(__start_paths, __stop_paths,
					      PROFIL_UNWIND_FRAME_POINTERS);
	uint64_t end, no_room = 0;

	observe_close(self->o);
	ASSERT_EQ(0, paths_open(self->o, 255));
	ASSERT_EQ(0, observe_join(self->o->fd, 0, 0, 0));
	self->image = paths_image(self->o);
	ASSERT_EQ(0, unwind_maps(self->o->fd, self->image, self->mem, &map, 1));
	ASSERT_EQ(0, observe_swap(self->o));
	self->o->sum = (struct profil_half) {};
	end = cpu_ns() + 400000000;
	while (cpu_ns() < end)
		call_3(paths_deep, 20000, 200,
		       (uint64_t)random() << 40 ^ (uint64_t)random() << 20 ^
		       random());
	ASSERT_EQ(0, swap_chains(self->o, see_room, &no_room));
	EXPECT_TRUE(self->o->balanced);
	EXPECT_EQ(0, self->o->sum.unplaced);
	EXPECT_LT(0, no_room);
	EXPECT_EQ(self->o->sum.no_room, no_room);
	TH_LOG("%llu samples, %llu without room",
	       (unsigned long long)self->o->sum.counted,
	       (unsigned long long)no_room);
}

TEST_HARNESS_MAIN
