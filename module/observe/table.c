// SPDX-License-Identifier: GPL-2.0-only
/*
 * An observer's table: the memory of both halves of every CPU, and how a node
 * is found in it.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "observe/observe.h"
#include "profil.h"

#define SLOTS_PER_NODE	2

static_assert(sizeof(struct profil_node) == 16);
static_assert(sizeof(struct profil_image) == 640);
static_assert(sizeof(struct profil_end) == 24);
static_assert(sizeof(struct profil_thread) == 48);

/**
 * profil_table_alloc() - memory for an observer's samples
 * @table: to be filled in
 * @arg: checked
 *
 * Undone by profil_table_free().
 *
 * Context: process; sleeps.
 * Return: 0 or -ENOMEM.
 */
int profil_table_alloc(struct profil_table *table,
		       const struct profil_observe *arg)
{
	struct profil_map map = {
		.nr_cpus = nr_cpu_ids,
		.nodes = roundup_pow_of_two(arg->nodes),
		.images = arg->images,
		.ends = arg->images,
		.halves = PAGE_ALIGN(sizeof(map)),
		.nodes_at = sizeof(struct profil_half),
	};

	if (arg->flags & PROFIL_OBSERVE_F_THREADS)
		map.threads = 4 * arg->images;
	map.images_at = map.nodes_at + map.nodes * sizeof(struct profil_node);
	map.ends_at = map.images_at + map.images * sizeof(struct profil_image);
	map.threads_at = map.ends_at + map.ends * sizeof(struct profil_end);
	table->slots_at = map.threads_at +
			  map.threads * sizeof(struct profil_thread);
	map.half_size = PAGE_ALIGN(table->slots_at + SLOTS_PER_NODE *
				   map.nodes * sizeof(u32));
	table->size = map.halves + 2 * nr_cpu_ids * map.half_size;
	table->map = __vmalloc(table->size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!table->map) {
		table->size = 0;
		return -ENOMEM;
	}
	*table->map = map;
	profil_ledger_in(PROFIL_LEDGER_TABLES, 1);
	return 0;
}

/* Context: process; no sample and no mapping uses the table any more. */
void profil_table_free(struct profil_table *table)
{
	vfree(table->map);
	profil_ledger_out(PROFIL_LEDGER_TABLES, 1);
}

/*
 * The slot with this node, or the first empty one.  Half of the slots are
 * empty, so the search ends.
 */
static u32 *table_slot(const struct profil_table *table,
		       struct profil_half *half, u32 from, u64 pc)
{
	u32 nr = SLOTS_PER_NODE * table->map->nodes;
	u32 *slots = (void *)half + table->slots_at;
	struct profil_node *nodes = (void *)half + table->map->nodes_at;
	u32 i = hash_64(pc ^ from * GOLDEN_RATIO_64, ilog2(nr));
	const struct profil_node *node;

	for (; slots[i]; i = (i + 1) & (nr - 1)) {
		node = &nodes[slots[i] - 1];
		if (node->pc == pc && node->from == from)
			break;
	}
	return &slots[i];
}

/**
 * profil_table_find() - the node of a pc, a new one for a new pc
 * @table: an observer's
 * @half: the one that this CPU writes
 * @from: see struct profil_node
 * @pc: likewise
 *
 * Context: interrupts off.
 * Return: the node, or NULL if there is no room.
 */
struct profil_node *profil_table_find(struct profil_table *table,
				      struct profil_half *half, u32 from,
				      u64 pc)
{
	struct profil_node *nodes = (void *)half + table->map->nodes_at;
	u32 *slot = table_slot(table, half, from, pc);

	if (*slot)
		return &nodes[*slot - 1];
	if (half->nr_nodes >= table->map->nodes)
		return NULL;
	nodes[half->nr_nodes] = (struct profil_node){ .pc = pc, .from = from };
	*slot = ++half->nr_nodes;
	return &nodes[*slot - 1];
}

/*
 * Last node first, because the slots of earlier nodes may lie in its way.
 * The time is that of the nodes there are, not of the room.
 *
 * Context: process; the half is quiet.
 */
void profil_table_clear(struct profil_table *table, u32 half)
{
	struct profil_half *to;
	struct profil_node *node;
	unsigned int cpu;
	u32 i;

	for_each_possible_cpu(cpu) {
		to = profil_table_half(table, cpu, half);
		node = (void *)to + table->map->nodes_at;
		for (i = to->nr_nodes; i--;)
			*table_slot(table, to, node[i].from, node[i].pc) = 0;
		memset(to, 0, sizeof(*to));
		cond_resched();
	}
}
