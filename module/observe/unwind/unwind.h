/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call paths: what an observer knows of its programs' stacks, and the walk.
 *
 * Vocabulary
 *	table	one object's rules, by offset of its text (uapi)
 *	object	a table as the kernel keeps it: copied once, checked once
 *	maps	which object is mapped where, of one image and its forked children
 *	path	the frames of a stack, and how it ended
 *
 * Nothing changes an object or maps.  A follow has a reference to its maps, and
 * these have one to each of their objects.  They are freed a grace period after
 * the last reference, because a sample reads them under RCU.
 */
#ifndef _PROFIL_UNWIND_H
#define _PROFIL_UNWIND_H

#include <linux/kernel.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <profil/ioctl.h>

struct cred;
struct profil_half;
struct profil_observer;
struct pt_regs;
struct task_struct;

#if defined(CONFIG_X86_64) || defined(CONFIG_ARM64)
#define PROFIL_DEPTH_MAX	255
#else
#define PROFIL_DEPTH_MAX	1
#endif

#define PROFIL_PATH_NODES	8192	/* of a half with paths, at least */

/* In profil_observer.flags, where the user's flags are: depth is above 1. */
#define PROFIL_OBSERVE_PATHS	BIT(31)

/* The pages of tables and maps that count for a user's RLIMIT_MEMLOCK. */
struct profil_charge {
	const struct cred *cred;
	unsigned long pages;
};

struct profil_object;

struct profil_map_entry {
	u64 start;
	u32 length;
	u32 offset;
	const struct profil_object *object;	/* or NULL */
};

struct profil_maps {
	refcount_t ref;
	u32 nr;
	u64 id;			/* no other maps have or had it */
	struct profil_charge charge;
	struct rcu_work free_work;
	struct profil_map_entry entry[];
};

/* tables.c: objects and maps, from PROFIL_IOC_UNWIND to their end */

int profil_unwind(struct profil_observer *observer, struct profil_unwind *arg);
struct profil_maps *profil_maps_get(struct profil_maps *maps);
void profil_maps_put(struct profil_maps *maps);
void profil_unwind_close(struct profil_observer *observer);

/* walk.c: the walk over a stack */

/* A return address, and the words that say that it is still there. */
struct profil_return {
	u64 pc;
	u64 sp;			/* of the frame that it returns to */
	u64 bp;
	u64 pc_at;		/* address of the word that was pc */
	u64 bp_at;		/* of that which was bp_is */
	u64 bp_is;
	u32 node;
};

/* The path of a thread without the sampled pc, the outermost first. */
struct profil_path {
	const struct task_struct *task;	/* compared, not followed */
	const struct profil_half *half;
	u64 maps_id;		/* that it was walked by; 0: not to be used */
	u32 swaps;		/* at which half was found */
	u32 from;		/* what the nodes are below */
	u32 known;		/* frames that have their nodes */
	u32 end;		/* PROFIL_PATH_* */
	bool by_word;		/* that it ended so */
	u32 nr;
	struct profil_return frame[PROFIL_DEPTH_MAX];
};

#define PROFIL_FOUND_BITS	6

/* The rule that was found last for the pcs of one hash. */
struct profil_found {
	u64 pc;
	u64 maps_id;		/* by which maps */
	struct profil_unwind_rule rule;
};

/* What all walks on a CPU use, one after the other. */
struct profil_walk_room {
	struct profil_found found[1 << PROFIL_FOUND_BITS];
	struct profil_return new[PROFIL_DEPTH_MAX];
};

void profil_walk(const struct profil_maps *maps, struct pt_regs *regs,
		 struct profil_path *path, struct profil_walk_room *room,
		 u32 max);

/* path.c: the path of a sample */

void profil_paths_plan(struct profil_observer *observer, u32 depth, u32 nodes);
struct profil_node *profil_path_find(struct profil_observer *observer,
				     const struct profil_maps *maps,
				     struct task_struct *task,
				     struct profil_half *half, u32 from,
				     u64 pc);

#endif /* _PROFIL_UNWIND_H */
