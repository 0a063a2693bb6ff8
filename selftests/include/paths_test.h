/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call paths: functions of which each instruction's rule is known, tables made
 * of such rules, and the paths that an observer's nodes tell.
 */
#ifndef PROFIL_PATHS_TEST_H
#define PROFIL_PATHS_TEST_H

#include <elf.h>

#include "observe_test.h"

/*
 * paths_top calls paths_bp, which calls paths_sub, which calls paths_leaf: a
 * loop of as many rounds as the argument says.  paths_fp_* have frame pointers.
 * paths_system calls paths_enter: getppid(), in one for 32 rounds.
 * The arguments of paths_with_*: rounds, and what the loop has as sp or bp.
 * paths_deep calls itself as often as the second argument says, where the third
 * says.
 */
#define LABEL(name) extern char name[] __attribute__((visibility("hidden")))
LABEL(__start_paths);
LABEL(__stop_paths);
LABEL(__start_paths_fp);
LABEL(__stop_paths_fp);
LABEL(paths_leaf);
LABEL(paths_sub);
LABEL(paths_sub_body);
LABEL(paths_sub_back);
LABEL(paths_sub_end);
LABEL(paths_bp);
LABEL(paths_bp_push);
LABEL(paths_bp_body);
LABEL(paths_bp_back);
LABEL(paths_bp_end);
LABEL(paths_top);
LABEL(paths_top_back);
LABEL(paths_signal);
LABEL(paths_signal_back);
LABEL(paths_system);
LABEL(paths_system_back);
LABEL(paths_enter);
LABEL(paths_with_bp);
LABEL(paths_with_bp_loop);
LABEL(paths_with_sp);
LABEL(paths_with_sp_loop);
LABEL(paths_with_sp_end);
LABEL(paths_deep);
LABEL(paths_deep_back);
LABEL(paths_deep_other);
LABEL(paths_deep_loop);
LABEL(paths_deep_end);
LABEL(paths_fp_loop);
LABEL(paths_fp_middle);
LABEL(paths_fp_middle_back);
LABEL(paths_fp_top);
LABEL(paths_fp_top_back);

#define ROUNDS	1000000

static inline void call_1(const char *function, unsigned long rounds)
{
	((void (*)(unsigned long))function)(rounds);
}

static inline void call_2(const char *function, unsigned long rounds,
			  uint64_t value)
{
	((void (*)(unsigned long, uint64_t))function)(rounds, value);
}

static inline void call_3(const char *function, unsigned long rounds,
			  uint64_t value, uint64_t more)
{
	((void (*)(unsigned long, uint64_t, uint64_t))function)(rounds, value,
								more);
}

struct row {
	const char *at;
	struct profil_unwind_rule rule;
};

/* Text, paths_rows, and the machine; 32-bit programs have no paths. */
#ifdef __x86_64__
#include "paths_x86.h"
#elif defined(__aarch64__)
#include "paths_arm64.h"
#else
#define TABLE_MACHINE	EM_X86_64
#endif

#define PATHS_ROWS	(sizeof(paths_rows) / sizeof(*paths_rows))
#define TABLE_MAX	4096

/* The table of the section paths, in a buffer of TABLE_MAX bytes: its size. */
static inline size_t table_of(void *buffer, const struct row *rows, uint32_t nr)
{
	struct profil_unwind_table *table = buffer;
	uint32_t chunks = (__stop_paths - __start_paths) / 256 + 1;
	uint32_t *index = (void *)(table + 1), i, chunk;
	struct profil_unwind_rule *rule = (void *)(index + chunks + 1);
	uint16_t *row_rule = (void *)(rule + nr);
	uint8_t *low = (void *)(row_rule + nr);

	*table = (struct profil_unwind_table) {
		chunks, nr, nr, TABLE_MACHINE,
	};
	for (i = 0, chunk = 0; i < nr; i++) {
		while (chunk <= (unsigned long)(rows[i].at - __start_paths) / 256)
			index[chunk++] = i;
		rule[i] = rows[i].rule;
		row_rule[i] = i;
		low[i] = rows[i].at - __start_paths;
	}
	while (chunk <= chunks)
		index[chunk++] = nr;
	return (char *)(low + nr) - (char *)buffer;
}

/* 0 or an errno. */
static inline int unwind_object(int fd, const void *table, uint64_t bytes,
				uint32_t *id)
{
	struct profil_unwind unwind = {
		.size = sizeof(unwind),
		.op = PROFIL_UNWIND_OBJECT,
		.addr = addr(table),
		.bytes = bytes,
	};
	int err = ioctl(fd, PROFIL_IOC_UNWIND, &unwind) ? errno : 0;

	*id = unwind.id;
	return err;
}

#ifdef __LP64__
/* The table of paths_rows. */
static inline int paths_object(int fd, uint32_t *id)
{
	char table[TABLE_MAX];

	return unwind_object(fd, table,
			     table_of(table, paths_rows, PATHS_ROWS), id);
}
#endif /* __LP64__ */

static inline int unwind_drop(int fd, uint32_t id)
{
	struct profil_unwind unwind = {
		.size = sizeof(unwind),
		.op = PROFIL_UNWIND_DROP,
		.id = id,
	};

	return ioctl(fd, PROFIL_IOC_UNWIND, &unwind) ? errno : 0;
}

static inline int unwind_maps(int fd, uint32_t image, int mem,
			      const struct profil_unwind_map *maps, uint32_t nr)
{
	struct profil_unwind unwind = {
		.size = sizeof(unwind),
		.op = PROFIL_UNWIND_MAPS,
		.addr = addr(maps),
		.bytes = nr * sizeof(*maps),
		.image = image,
		.fd = mem,
	};

	return ioctl(fd, PROFIL_IOC_UNWIND, &unwind) ? errno : 0;
}

static inline struct profil_unwind_map map_of(const char *start, const char *end,
					      uint32_t object)
{
	return (struct profil_unwind_map) {
		.start = addr(start),
		.length = end - start,
		.object = object,
	};
}

/* A path as the nodes tell it: the outermost first. */
struct chain {
	uint32_t image;
	uint32_t count;
	uint32_t nr;
	uint64_t pc[260];
};

typedef void see_chain(void *data, const struct chain *chain);

static inline void chain_of(const struct profil_node *nodes, uint32_t i,
			    struct chain *chain)
{
	uint32_t nr = 1, at;

	for (at = i; !(nodes[at].from & PROFIL_NODE_IMAGE); at = nodes[at].from)
		nr++;
	chain->image = nodes[at].from & ~PROFIL_NODE_IMAGE;
	chain->count = nodes[i].count;
	chain->nr = nr;
	for (at = i; nr--; at = nodes[at].from)
		chain->pc[nr] = nodes[at].pc;
}

/* What is in the half that becomes quiet. */
static inline int swap_chains(struct observer *o, see_chain *see, void *data)
{
	static struct chain chain;
	struct profil_swap swap = { .size = sizeof(swap) };
	struct profil_half *half;
	struct profil_node *nodes;
	uint32_t cpu, i;

	if (ioctl(o->fd, PROFIL_IOC_SWAP, &swap))
		return errno;
	for (cpu = 0; cpu < o->map->nr_cpus; cpu++) {
		half = (void *)o->map + o->map->halves +
		       (2 * cpu + swap.quiet) * o->map->half_size;
		fold_half(o, half);
		o->sum.no_room += half->no_room;
		nodes = (void *)half + o->map->nodes_at;
		for (i = 0; see && i < half->nr_nodes; i++) {
			if (!nodes[i].count)
				continue;
			chain_of(nodes, i, &chain);
			see(data, &chain);
		}
	}
	return 0;
}

static inline int paths_open(struct observer *o, uint32_t depth)
{
	struct profil_observe args = observe_args(5000);

	args.depth = depth;
	args.images = 16;
	return observe_open_with(o, &args);
}

/* The number of the calling process's image, once it has been sampled. */
static inline uint32_t paths_image(struct observer *o)
{
	uint32_t i;

	while (!swap_chains(o, NULL, NULL)) {
		for (i = 0; i < o->nr_images; i++)
			if (o->image[i].pid == getpid())
				return o->image[i].number;
		burn_ms(20);
	}
	return 0;
}

/* An observer of this process, its image, and its memory to give maps by. */
static inline struct observer *paths_follow(struct __test_metadata *_metadata,
					    uint32_t depth, uint32_t *image,
					    int *mem)
{
	struct observer *o = calloc(1, sizeof(*o));

	NEED_FINE_TIMERS();
	ASSERT_NE(NULL, o);
	ASSERT_EQ(0, paths_open(o, depth));
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	*image = paths_image(o);
	ASSERT_NE(0, *image);
	*mem = open_mem(getpid());
	ASSERT_LE(0, *mem);
	return o;
}

static inline void paths_unfollow(struct observer *o, int mem)
{
	close(mem);
	observe_close(o);
	free(o);
}

#endif /* PROFIL_PATHS_TEST_H */
