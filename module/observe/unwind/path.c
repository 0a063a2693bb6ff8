// SPDX-License-Identifier: GPL-2.0-only
/*
 * The path of a sample: the last paths of a CPU's threads, and a path's nodes.
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <asm/irq_regs.h>

#include "observe/observe.h"
#include "profil.h"

#define PATHS_KEPT	4
#define QUICK_NODES	8	/* more of a sample may take long to find */

/* A CPU's, of one observer. */
struct profil_paths {
	u32 last;		/* the path that was used last */
	struct profil_path path[PATHS_KEPT];
	struct profil_walk_room room;
};

/* The last path of a thread; that of another is overwritten. */
static struct profil_path *path_of(struct profil_paths *paths,
				   const struct task_struct *task)
{
	struct profil_path *path = &paths->path[paths->last];
	u32 i;

	if (likely(path->task == task))
		return path;
	for (i = 0; i < PATHS_KEPT; i++)
		if (paths->path[i].task == task)
			break;
	paths->last = i < PATHS_KEPT ? i : (paths->last + 1) % PATHS_KEPT;
	path = &paths->path[paths->last];
	path->task = task;
	return path;
}

static void path_walk(struct profil_observer *observer,
		      struct profil_paths *paths, struct profil_path *path,
		      const struct profil_maps *maps, struct task_struct *task,
		      bool kernel)
{
	struct pt_regs *regs = kernel ? task_pt_regs(task) : get_irq_regs();

	if (path->maps_id != maps->id)
		path->nr = 0;
	path->maps_id = maps->id;
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) ||
	    !profil_compat_is_64bit(regs) || !task->mm) {
		path->known = 0;
		path->nr = 0;
		path->end = task->mm ? PROFIL_PATH_NOT_64 :
				       PROFIL_PATH_UNREADABLE;
		return;
	}
	profil_walk(maps, regs, path, &paths->room, observer->depth - 1);
}

/* Nodes are of a half until it is cleared, and below one root. */
static void path_check_nodes(struct profil_observer *observer,
			     struct profil_path *path,
			     const struct profil_half *half, u32 from)
{
	u32 swaps;

	/* Pairs with the release in profil_observer_swap(). */
	smp_rmb();
	swaps = READ_ONCE(observer->swaps);
	if (path->half == half && path->swaps == swaps && path->from == from)
		return;
	path->half = half;
	path->swaps = swaps;
	path->from = from;
	path->known = 0;
}

/*
 * The nodes of a path that are not known yet, and that of the sampled pc.  NULL
 * if not all fit below the limit.
 */
static struct profil_node *path_find(struct profil_table *table,
				     struct profil_half *half,
				     struct profil_path *path, u64 pc,
				     u32 limit)
{
	struct profil_nodes nodes = profil_table_nodes(table, half);
	struct profil_return *frame = &path->frame[path->known];
	u32 rest = path->nr - path->known;
	struct profil_node *node;
	u32 from = path->from;
	u32 *slot;

	if (unlikely(rest > QUICK_NODES))
		profil_rate_measure();
	if (path->known) {
		from = frame[-1].node;
	} else {
		node = profil_nodes_find(&nodes, from, path->end,
					 limit - rest - 1);
		if (!node)
			return NULL;
		from = node - nodes.node;
	}
	path->known = 0;
	for (; rest; rest--, frame++) {
		/* Below a new node all are new. */
		slot = profil_nodes_slot(&nodes, from, frame->pc);
		if (unlikely(!*slot) &&
		    !profil_nodes_add(&nodes, slot, from, frame->pc,
				      limit - rest))
			return NULL;
		from = *slot - 1;
		frame->node = from;
	}
	path->known = path->nr;
	return profil_nodes_find(&nodes, from, pc, limit);
}

/**
 * profil_path_find() - the node of a sample with its path
 * @observer: the sample is for it
 * @maps: of the process, found in the same RCU read section
 * @task: the thread, which is on this CPU
 * @half: the one that this CPU writes
 * @from: the node or image that the path is below
 * @pc: the sampled one; see struct profil_node
 *
 * Context: interrupts off, inside an RCU read section.
 * Return: the node, or NULL if there is no room.
 */
struct profil_node *profil_path_find(struct profil_observer *observer,
				     const struct profil_maps *maps,
				     struct task_struct *task,
				     struct profil_half *half, u32 from, u64 pc)
{
	struct profil_table *table = &observer->table;
	struct profil_paths *paths;
	struct profil_path *path;
	struct profil_node *node;

	paths = &observer->paths[smp_processor_id()];
	path = path_of(paths, task);
	path_walk(observer, paths, path, maps, task, pc & PROFIL_NODE_KERNEL);
	path_check_nodes(observer, path, half, from);
	node = path_find(table, half, path, pc, observer->path_nodes);
	if (node)
		return node;
	path->known = 0;
	path->nr = 0;
	path->end = PROFIL_PATH_NO_ROOM;
	node = path_find(table, half, path, pc, table->map->nodes);
	half->no_room += !!node;
	return node;
}

/* Context: any. */
void profil_paths_plan(struct profil_observer *observer, u32 depth, u32 nodes)
{
	observer->flags |= PROFIL_OBSERVE_PATHS;
	observer->paths_size = PAGE_ALIGN(nr_cpu_ids *
					  sizeof(*observer->paths));
	observer->depth = depth;
	/* The rest is for the pcs of the paths that have no room. */
	observer->path_nodes = nodes - min(2 * observer->rate_hz, nodes / 2);
}
