// SPDX-License-Identifier: GPL-2.0-only
/*
 * A half that fills: what is counted in it then, and what a search in it costs.
 */
#include "machine_test.h"
#include "paths_test.h"

static struct profil_half *half_of(const struct observer *o, uint32_t half)
{
	return (void *)o->map + o->map->halves + half * o->map->half_size;
}

/* Pcs of many places, until a half has no more room. */
static void fill(const volatile struct profil_half *half, uint32_t nodes)
{
	int tries;

	for (tries = 0; tries < 200 && half->nr_nodes < nodes; tries++) {
		burn_ms(5);
		hot_b(50000);
		free(calloc(1, 1 << 20));
		close(open("/proc/self/maps", O_RDONLY));
	}
}

static void fill_and_go_on(struct __test_metadata *_metadata, uint32_t flags)
{
	struct profil_observe args = observe_args(5000);
	struct observer *o = calloc(1, sizeof(*o));
	const volatile struct profil_half *half;
	uint64_t counted, unplaced;

	pin_to(0);
	ASSERT_NE(NULL, o);
	args.nodes = 8;
	args.flags = flags;
	ASSERT_EQ(0, observe_open_with(o, &args));
	half = half_of(o, 0);
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	while (half->counted < 500)
		hot_a(1000000);
	fill(half, o->map->nodes);
	ASSERT_EQ(o->map->nodes, half->nr_nodes);
	counted = half->counted;
	unplaced = half->unplaced;
	while (half->counted + half->unplaced < counted + unplaced + 500)
		hot_a(1000000);
	counted = half->counted - counted;
	unplaced = half->unplaced - unplaced;
	TH_LOG("%llu counted, %llu unplaced", (unsigned long long)counted,
	       (unsigned long long)unplaced);
	EXPECT_LT(unplaced, counted);
	EXPECT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	observe_close(o);
	free(o);
}

TEST(full_half_counts_in_the_nodes_it_has)
{
	NEED_FINE_TIMERS();
	fill_and_go_on(_metadata, 0);
}

TEST(full_half_counts_in_the_threads_it_has)
{
	NEED_FINE_TIMERS();
	fill_and_go_on(_metadata, PROFIL_OBSERVE_F_THREADS);
}

static bool is_readable(const void *at)
{
	int fds[2];
	ssize_t nr;

	if (pipe(fds))
		return false;
	nr = write(fds[1], at, 1);
	close(fds[0]);
	close(fds[1]);
	return nr == 1;
}

/* They would tell by what secret a pc's place is found. */
TEST(place_of_a_node_is_not_readable)
{
	struct observer *o = calloc(1, sizeof(*o));
	size_t page = getpagesize(), end, at;
	const char *half;

	ASSERT_NE(NULL, o);
	ASSERT_EQ(0, observe_open(o, 100, PROFIL_OBSERVE_F_THREADS));
	end = o->map->threads_at +
	      o->map->threads * sizeof(struct profil_thread);
	half = (const char *)half_of(o, 1);
	for (at = 0; at < end; at += page)
		EXPECT_TRUE(is_readable(half + at));
	ASSERT_LT(at, o->map->half_size);
	for (; at < o->map->half_size; at += page)
		EXPECT_FALSE(is_readable(half + at));
	observe_close(o);
	free(o);
}

#ifdef __x86_64__

#define NODES		16384
#define CHOSEN		1000	/* a sample has two nodes */
#define BEGIN		0x100000000000ULL
#define MAPS		256
#define GOLDEN		0x61c8864680b583ebULL

/* Where an observer that knows no secret looks for a node first. */
static uint64_t public_slot(uint32_t from, uint64_t pc)
{
	return (pc ^ from * GOLDEN) * GOLDEN >> (64 - 15);
}

/* A return address; where they are chosen, all are looked for at one place. */
static uint64_t next_pc(uint32_t from, bool chosen)
{
	static uint64_t seed = 88172645463325252ULL;
	uint64_t pc;

	do {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		pc = BEGIN + seed % ((MAPS - 1ULL) << 32);
	} while (chosen && public_slot(from, pc) >= 256);
	return pc;
}

static int give_maps(const struct observer *o, uint32_t image)
{
	struct profil_unwind_map maps[MAPS + 1], own;
	uint32_t nr = 0, i;
	int mem = open_mem(getpid()), err;

	own = map_of(__start_paths, __stop_paths, PROFIL_UNWIND_FRAME_POINTERS);
	if (own.start < BEGIN)
		maps[nr++] = own;
	for (i = 0; i < MAPS; i++)
		maps[nr++] = (struct profil_unwind_map) {
			.start = BEGIN + ((uint64_t)i << 32),
			.length = 0xffffffff,
			.object = PROFIL_UNWIND_FRAME_POINTERS,
		};
	if (own.start >= BEGIN)
		maps[nr++] = own;
	err = unwind_maps(o->fd, image, mem, maps, nr);
	close(mem);
	return err;
}

/* The index of the node below which a caller stands. */
static uint32_t root_of(const struct observer *o, struct profil_half *half)
{
	const struct profil_node *nodes = (void *)half + o->map->nodes_at;
	uint64_t frame[2] = { 0, BEGIN + 16 };
	uint32_t i;

	for (;;) {
		call_2(paths_with_bp, 1000000, addr(frame));
		for (i = 0; i < half->nr_nodes; i++)
			if (nodes[i].from & PROFIL_NODE_IMAGE &&
			    nodes[i].pc == PROFIL_PATH_WHOLE)
				return i;
	}
}

/* CPU time of a SWAP that clears a half with many callers. */
static uint64_t clear_ns(struct observer *o, bool chosen)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	struct profil_half *half;
	uint64_t frame[2] = { 0 }, begin;
	uint32_t root, nr = 0;

	if (ioctl(o->fd, PROFIL_IOC_SWAP, &swap))
		return 0;
	half = half_of(o, !swap.quiet);
	root = root_of(o, half);
	while (half->nr_nodes < 2 * CHOSEN) {
		frame[1] = next_pc(root, chosen);
		/* Until it is sampled. */
		for (nr = half->nr_nodes; half->nr_nodes == nr;)
			call_2(paths_with_bp, 20000, addr(frame));
	}
	if (ioctl(o->fd, PROFIL_IOC_SWAP, &swap))
		return 0;
	begin = cpu_ns();
	if (ioctl(o->fd, PROFIL_IOC_SWAP, &swap))
		return 0;
	return cpu_ns() - begin;
}

/* A program that chooses its return addresses makes no search long. */
TEST(no_program_chooses_its_place)
{
	struct profil_observe args = observe_args(10000);
	struct observer *o = calloc(1, sizeof(*o));
	uint64_t random = 0, chosen;
	uint32_t image, tries;

	NEED_FINE_TIMERS();
	pin_to(0);
	ASSERT_NE(NULL, o);
	args.depth = 3;
	args.nodes = NODES;
	ASSERT_EQ(0, observe_open_with(o, &args));
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	image = paths_image(o);
	ASSERT_NE(0, image);
	ASSERT_EQ(0, give_maps(o, image));
	/* A clock of the scheduler stands still while a tick is late. */
	for (tries = 0; !random && tries < 20; tries++)
		random = clear_ns(o, false);
	chosen = clear_ns(o, true);
	TH_LOG("%llu us, chosen %llu us", (unsigned long long)random / 1000,
	       (unsigned long long)chosen / 1000);
	EXPECT_LT(0, random);
	/* It was 1,700 times as long; other work takes some time too. */
	EXPECT_LT(chosen, 100 * random);
	observe_close(o);
	free(o);
}

#endif /* __x86_64__ */

TEST_HARNESS_MAIN
