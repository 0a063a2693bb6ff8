// SPDX-License-Identifier: GPL-2.0-only
/*
 * An observer's table: the memory of both halves of every CPU, and how a node
 * is found in it.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/vmalloc.h>

#include "observe/observe.h"
#include "profil.h"

static_assert(sizeof(struct profil_node) == 16);
static_assert(sizeof(struct profil_image) == 640);
static_assert(sizeof(struct profil_end) == 24);
static_assert(sizeof(struct profil_thread) == 48);

/**
 * profil_table_plan() - how large a table is, and where what lies in it
 * @table: its sizes are filled in
 * @arg: checked
 *
 * Context: any.
 * Return: what the mapping begins with.
 */
struct profil_map profil_table_plan(struct profil_table *table,
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

	if (arg->depth > 1)
		map.nodes = max_t(u32, map.nodes, PROFIL_PATH_NODES);
	if (arg->flags & PROFIL_OBSERVE_F_THREADS)
		map.threads = 4 * arg->images;
	map.images_at = map.nodes_at + map.nodes * sizeof(struct profil_node);
	map.ends_at = map.images_at + map.images * sizeof(struct profil_image);
	map.threads_at = map.ends_at + map.ends * sizeof(struct profil_end);
	/* On pages of their own, which are not mapped. */
	table->slots_at = PAGE_ALIGN(map.threads_at + map.threads *
				     sizeof(struct profil_thread));
	map.half_size = PAGE_ALIGN(table->slots_at + PROFIL_SLOTS_PER_NODE *
				   map.nodes * sizeof(u32));
	table->size = map.halves + 2 * nr_cpu_ids * map.half_size;
	table->slot_bits = ilog2(PROFIL_SLOTS_PER_NODE * map.nodes);
	table->secret = get_random_u64() | 1;
	table->tid_secret = get_random_u32() | 1;
	return map;
}

/**
 * profil_table_alloc() - memory for an observer's samples
 * @table: planned
 * @map: of the plan
 * @more: bytes behind the table, not mapped
 *
 * Undone by profil_table_free().
 *
 * Context: process; sleeps.
 * Return: 0 or -ENOMEM.
 */
int profil_table_alloc(struct profil_table *table,
		       const struct profil_map *map, size_t more)
{
	table->map = __vmalloc(table->size + more, GFP_KERNEL_ACCOUNT |
						   __GFP_ZERO | __GFP_NOWARN);
	if (!table->map)
		return -ENOMEM;
	*table->map = *map;
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
 * Last node first, because the slots of earlier nodes may lie in its way.
 * The time is that of the nodes there are, not of the room.
 *
 * Context: process; the half is quiet.
 */
void profil_table_clear(struct profil_table *table, u32 half)
{
	struct profil_nodes nodes;
	struct profil_node *node;
	unsigned int cpu;
	u32 i;

	for_each_possible_cpu(cpu) {
		nodes = profil_table_nodes(table,
					   profil_table_half(table, cpu, half));
		for (i = nodes.half->nr_nodes; i--;) {
			node = &nodes.node[i];
			*profil_nodes_slot(&nodes, node->from, node->pc) = 0;
		}
		memset(nodes.half, 0, sizeof(*nodes.half));
		cond_resched();
	}
}
