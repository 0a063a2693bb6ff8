/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Observers: descriptors that count the pcs of the processes they follow.
 *
 * Vocabulary
 *	observer  an open descriptor with a rate and a table
 *	table	  the counts, two halves for each CPU, mapped read-only by the tool
 *	follow	  one observer's hold of one process; the key is signal_struct
 *	image	  one program in one process
 *	facts	  what exec or JOIN learned of a program: the image's record
 *	maps	  by what tables its call paths are found (unwind/unwind.h)
 *
 * Contexts
 *	A sample is taken with interrupts off on the CPU of its thread: in a hard
 *	interrupt, or in sched_switch under the run queue's lock.  It allocates
 *	nothing, takes no lock, and wakes the tool by an irq_work.
 *
 * Locks
 *	observer->mutex		which half is quiet; taken by SWAP alone
 *	profil_follow_lock	raw, interrupts off: all follows and their lists;
 *				taken by fork, exec, exit, JOIN and close.
 *	A sample reads follows, facts and maps under RCU.
 */
#ifndef _PROFIL_OBSERVE_H
#define _PROFIL_OBSERVE_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <profil/ioctl.h>

#include "observe/unwind/unwind.h"

struct file;
struct inode;
struct linux_binprm;
struct poll_table_struct;
struct vm_area_struct;

#define PROFIL_RATE_MAX		10000
#define PROFIL_RATE_MAX_ROOT	100000	/* with CAP_PERFMON or CAP_SYS_ADMIN */
#define PROFIL_NODES_MAX	65536
#define PROFIL_IMAGES_MAX	4096

/* table.c: where samples are counted */

/* A CPU alone writes its halves, with interrupts off. */
struct profil_table {
	struct profil_map *map;	/* all of it: the tool maps it but for slots */
	size_t size;
	size_t slots_at;	/* in a half: index + 1 of nodes, by hash */
	u32 slot_bits;		/* log2 of their number */
	u64 secret;		/* odd: the hash multiplies by it */
	u32 tid_secret;		/* likewise, see profil_record_thread_number() */
};

#define PROFIL_SLOTS_PER_NODE	2

/* The nodes of a half, and where they are found. */
struct profil_nodes {
	struct profil_half *half;
	struct profil_node *node;
	u32 *slot;
	u32 slot_bits;
	u64 secret;
};

struct profil_map profil_table_plan(struct profil_table *table,
				    const struct profil_observe *arg);
int profil_table_alloc(struct profil_table *table,
		       const struct profil_map *map, size_t more);
void profil_table_free(struct profil_table *table);
void profil_table_clear(struct profil_table *table, u32 half);

static inline struct profil_half *
profil_table_half(const struct profil_table *table, unsigned int cpu, u32 half)
{
	const struct profil_map *map = table->map;

	return (void *)map + map->halves + (2 * cpu + half) * map->half_size;
}

static inline struct profil_nodes
profil_table_nodes(const struct profil_table *table, struct profil_half *half)
{
	return (struct profil_nodes) {
		.half = half,
		.node = (void *)half + table->map->nodes_at,
		.slot = (void *)half + table->slots_at,
		.slot_bits = table->slot_bits,
		.secret = table->secret,
	};
}

/*
 * The slot with this node, or the first empty one.  Half of the slots are
 * empty, so the search ends.  It is short, because a program, which chooses its
 * pcs, does not know by what they are multiplied.
 */
static __always_inline u32 *profil_nodes_slot(const struct profil_nodes *nodes,
					      u32 from, u64 pc)
{
	u64 key = (pc ^ from * GOLDEN_RATIO_64) * nodes->secret;
	u32 i = key >> (64 - nodes->slot_bits);
	u32 mask = BIT(nodes->slot_bits) - 1;
	const struct profil_node *node;

	for (; nodes->slot[i]; i = (i + 1) & mask) {
		node = &nodes->node[nodes->slot[i] - 1];
		if (node->pc == pc && node->from == from)
			break;
	}
	return &nodes->slot[i];
}

/* A new node in an empty slot, if the half has fewer than limit. */
static __always_inline bool profil_nodes_add(const struct profil_nodes *nodes,
					     u32 *slot, u32 from, u64 pc,
					     u32 limit)
{
	u32 nr = nodes->half->nr_nodes;

	if (nr >= limit)
		return false;
	nodes->node[nr] = (struct profil_node){ .pc = pc, .from = from };
	nodes->half->nr_nodes = ++nr;
	*slot = nr;
	return true;
}

/* The node of a pc, a new one if there is room below limit, or NULL. */
static __always_inline struct profil_node *
profil_nodes_find(const struct profil_nodes *nodes, u32 from, u64 pc, u32 limit)
{
	u32 *slot = profil_nodes_slot(nodes, from, pc);

	if (likely(*slot))
		return &nodes->node[*slot - 1];
	if (!profil_nodes_add(nodes, slot, from, pc, limit))
		return NULL;
	return &nodes->node[*slot - 1];
}

/* observer.c: one descriptor's observer */

struct profil_observer {
	refcount_t ref;		/* the descriptor, each mapping */
	u32 flags;		/* PROFIL_OBSERVE_F_*, PROFIL_OBSERVE_PATHS */
	u32 rate_hz;
	u32 active;		/* the half that is written */
	bool closed;		/* under profil_follow_lock: nothing is added */
	bool poke;		/* something to tell since the last SWAP */
	u8 payer;		/* profil_payer_hash() of the opener */
	struct profil_table table;
	struct cpumask written[2];	/* by half: CPUs that may be in it */
	struct mutex mutex;
	atomic_t images;	/* the number of the one born last */
	atomic_t nr_followed;
	seqcount_t ends;	/* under profil_follow_lock */
	atomic64_t ended_cpu_ns;
	u64 cpu_ns;		/* that the last SWAP told; under mutex */
	u32 added;		/* follows so far; under profil_follow_lock */
	u32 settled;		/* of these no sample is under way; under mutex */
	struct list_head follows;
	struct irq_work wake;
	wait_queue_head_t wait;
	struct pid_namespace *pid_ns;
	const struct cred *cred;	/* its user's locked_vm has the table */
	bool may_ptrace;		/* everything in the cred's user_ns */
	struct mem_cgroup *memcg;
	struct rcu_work free_work;

	/* With PROFIL_OBSERVE_PATHS. */
	u32 depth;
	u32 swaps;
	u32 path_nodes;			/* of a half, for paths at most */
	struct profil_paths *paths;	/* of each CPU; behind the table */
	size_t paths_size;
	struct xarray objects;		/* by their ids */
	u32 next_object;
};

int profil_observer_charge(struct profil_observer *observer,
			   unsigned long pages);
int profil_observer_create(struct file *file, struct profil_observe *arg);
int profil_observer_close(struct inode *inode, struct file *file);
int profil_observer_swap(struct profil_observer *observer,
			 struct profil_swap *arg);
__poll_t profil_observer_poll(struct file *file,
			      struct poll_table_struct *wait);
int profil_observer_mmap(struct file *file, struct vm_area_struct *vma);

/* follow.c: the followed processes */

/* Allocated as far as the end of the path, because each exec takes them anew. */
struct profil_facts {
	refcount_t ref;
	u32 used;			/* bytes of about */
	struct rcu_head rcu;
	struct profil_image about;	/* without numbers and pids */
};

struct profil_follow {
	struct hlist_node node;		/* by signal */
	struct signal_struct *signal;
	struct profil_observer *observer;
	struct list_head sibling;	/* of the same observer */
	struct profil_facts __rcu *facts;
	struct profil_maps __rcu *maps;
	u64 since_ns;			/* CLOCK_MONOTONIC: the image began */
	u64 cpu_ns;			/* CPU time of the process then */
	u32 flags;			/* PROFIL_JOIN_F_* */
	u32 how;			/* PROFIL_IMAGE_* */
	u32 image;			/* its number; 0 before its first sample */
	u32 parent;			/* image */
	bool may_read;			/* what the last look at the mm said */
	struct rcu_head rcu;
};

#define PROFIL_FOLLOW_BITS	12

extern struct hlist_head profil_follows[1 << PROFIL_FOLLOW_BITS];

static inline struct hlist_head *
profil_follow_bucket(const struct signal_struct *signal)
{
	return &profil_follows[hash_32((uintptr_t)signal, PROFIL_FOLLOW_BITS)];
}

/* False for nearly all processes that are not followed.  Context: any. */
static inline bool profil_follow_may(const struct signal_struct *signal)
{
	return !hlist_empty(profil_follow_bucket(signal));
}

/*
 * The follows of a process: the one after this, or with NULL the first.
 * Context: any, inside an RCU read section or under profil_follow_lock.
 */
static inline struct profil_follow *
profil_follow_next(const struct signal_struct *signal,
		   struct profil_follow *follow)
{
	struct hlist_node __rcu **from = follow ? &hlist_next_rcu(&follow->node) :
		&hlist_first_rcu(profil_follow_bucket(signal));

	follow = hlist_entry_safe(rcu_dereference_raw(*from),
				  struct profil_follow, node);
	hlist_for_each_entry_from_rcu(follow, node)
		if (follow->signal == signal)
			break;
	return follow;
}

int profil_follow_join(struct profil_observer *observer,
		       struct task_struct *task, struct mm_struct *mm,
		       u32 flags);
int profil_follow_set_maps(struct profil_follow *follow, u32 image,
			   struct profil_maps *maps);
void profil_follow_close(struct profil_observer *observer);
void profil_follow_fork(void *data, struct task_struct *parent,
			struct task_struct *task);
void profil_follow_exec(void *data, struct task_struct *task, pid_t old_pid,
			struct linux_binprm *bprm);
PROFIL_EXIT_PROBE(profil_follow_exit);

/* join.c: which processes may be followed */

void profil_join_init(void);
bool profil_join_other_works(void);
bool profil_join_has_mm(const struct signal_struct *signal,
			const struct mm_struct *mm);
struct file *profil_join_open(int fd);
int profil_join(struct profil_observer *observer,
		const struct profil_join *arg);

/* facts.c: what is known of a program */

struct profil_facts *profil_facts_create(struct profil_observer *observer,
					 struct mm_struct *mm,
					 struct file *exe, gfp_t gfp);
struct profil_facts *profil_facts_of(struct profil_observer *observer,
				     struct mm_struct *mm);
bool profil_facts_are_old(const struct profil_facts *facts,
			  const struct mm_struct *mm);
struct profil_facts *profil_facts_get(struct profil_facts *facts);
void profil_facts_put(struct profil_facts *facts);

/* record.c: the births and ends of images, and threads */

u64 profil_record_followed_ns(struct profil_observer *observer);
u32 profil_record_image(struct profil_follow *follow, struct profil_half *half);
void profil_record_end(struct profil_follow *follow, u64 cpu_ns, s32 status);
s32 profil_record_status(const struct task_struct *task);
u64 profil_record_thread_number(const struct profil_follow *follow,
				const struct task_struct *task);
void profil_record_thread(struct profil_follow *follow,
			  struct task_struct *task, struct profil_half *half,
			  u32 flags);
void profil_record_thread_end(struct profil_follow *follow,
			      struct task_struct *task, bool last);

/* sample.c: one sample */

/*
 * The half of an observer that this CPU writes.  SWAP changes the half, and then
 * interrupts the CPUs that have said that they write it.  So a CPU that says it looks
 * again which half that is.
 *
 * Context: interrupts off; the observer is of a follow that was found under RCU.
 */
static inline struct profil_half *
profil_sample_half(struct profil_observer *observer)
{
	unsigned int cpu = smp_processor_id();
	/* Pairs with the release in SWAP, so that the mask is not an older one. */
	u32 half = smp_load_acquire(&observer->active);

	lockdep_assert_irqs_disabled();
	while (unlikely(!cpumask_test_cpu(cpu, &observer->written[half]))) {
		cpumask_set_cpu(cpu, &observer->written[half]);
		/* Pairs with the barrier in wait_for_writers(). */
		smp_mb();
		half = READ_ONCE(observer->active);
	}
	return profil_table_half(&observer->table, cpu, half);
}

bool profil_sample_may_read(struct profil_follow *follow,
			    struct task_struct *task, struct mm_struct *mm);
void profil_sample_take(struct profil_follow *follow, struct task_struct *task,
			u64 pc, bool kernel, u32 draw);
u64 profil_sample_due(u64 ns, u32 rate_hz, u32 random);
void profil_sample_lost(struct task_struct *task, u64 ns, u32 random);

/* rate.c: when samples are taken */

void profil_rate_init(void);
void profil_rate_begin_here(void *unused);
void profil_rate_tell(void *unused);
void profil_rate_measure(void);
PROFIL_SWITCH_PROBE(profil_rate_switch);

/* rate_cpus.c: the timers of all CPUs */

u32 profil_rate_max(void);
int profil_rate_check(u32 rate_hz);
void profil_rate_stop(void);
int profil_rate_cpus_init(void);
void profil_rate_cpus_exit(void);
void profil_rate_begin(const struct signal_struct *signal,
		       const struct mm_struct *mm);
void profil_rate_tell_all(void);

/* hooks.c: the tracepoints */

int profil_observe_arm(void);
int profil_observe_disarm(void);
int profil_observe_init(void);
void profil_observe_exit(void);

#endif /* _PROFIL_OBSERVE_H */
