/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The glossary, the table of locks, and what region/, memory/ and profile/
 * offer.  dump/, hooks/ and ioctl/ have headers of their own.
 *
 * Glossary
 *	profile	 counts one mm, or one thread of it
 *	region	 a range of text, and the address of its counters (uapi)
 *	layout	 the regions of a profile, and the search table over them; it
 *		 never changes, and forked children share it
 *	buffer	 a region's counters in the process's memory: pinned pages, and
 *		 a notifier that watches their mapping
 *	live	 a buffer: the pinned pages are the ones that are mapped
 *	stale	 a buffer: its mapping has changed, or may have
 *	off	 a buffer: nothing is counted in it any more
 *	pending	 a sample that waits until its stale buffer is refreshed
 *	refresh	 to pin what is mapped now, and to count what is pending
 *	books	 how many samples there were, and what became of them (uapi)
 *	payer	 the user for which a worker runs, as a small number
 *	dump	 what a process asked to have written to a file when it ends
 *
 * Locks, outermost first
 *	hook_set.mutex		a set of hooks is in or out; sleeps for long, so
 *				nothing that a tick, fork or exit needs
 *	profile->refresh_lock	a mutex: pins and unpins the buffers' pages,
 *				and the account against RLIMIT_MEMLOCK
 *	mm->mmap_lock		(the kernel's) to pin and to account
 *	profil_table_lock	a spinlock: insert, replace and remove in the
 *				table of profiles
 *	dump_table_lock	the table of dumps, and what a call changes in
 *				one; outside spare_lock
 *	spare_lock		the spare files of exits; outside no other
 *	profile->lock		raw, interrupts off: the books, the pending
 *				samples, the state of the buffers, and `dead`,
 *				after which no tick queues work or irq_work.
 *				The tick takes no other lock; count.h says how.
 *				A worker is woken under it, so it is outside the
 *				run queue's lock, under which it is only tried
 *
 * The notifier's callback runs under mmap_lock or under locks of the rmap.  It
 * takes profile->lock, and profil_table_lock when the mm has ended.  So nothing
 * faults, sleeps or waits for an invalidation under these two.
 */
#ifndef _PROFIL_H
#define _PROFIL_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/irq_work.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <profil/ioctl.h>

#include "profile/pending.h"
#include "region/segments.h"

#define PROFIL_REGIONS_MAX	1024

/*
 * region/: which region takes a pc, and which counter.  No state but the
 * layout, no locks; any context, the tick's above all.  bin.h and segments.h
 * are also compiled into the tests on the host.
 */

/* layout.c: which region takes a pc */

struct profil_layout {
	refcount_t ref;
	u32 flags;		/* PROFIL_F_* */
	u32 rate_hz;		/* 0: the tick counts */
	u16 nr_regions;
	u16 overflow;		/* index, or PROFIL_REGION_NONE */
	u32 nr_segments;
	u64 *start;		/* as in segments.h */
	u16 *owner;
	struct profil_index index;
	struct rcu_head rcu;
	struct profil_region regions[];
};

extern const struct profil_index profil_index_empty;	/* has no pc */

struct profil_layout *profil_layout_create(const struct profil_set *set);
void profil_layout_put(struct profil_layout *layout);
u16 profil_layout_find(const struct profil_layout *layout, u64 pc);
u64 profil_layout_len(const struct profil_layout *layout, u16 region);

static inline struct profil_layout *
profil_layout_get(struct profil_layout *layout)
{
	refcount_inc(&layout->ref);
	return layout;
}

/* payer.c: a limit for each user of what may block at a time */

#define PROFIL_PAYERS_BITS	7
#define PROFIL_PAYERS		BIT(PROFIL_PAYERS_BITS)

enum profil_wait {
	PROFIL_WAIT_WORKER,	/* a work item of a profile */
	PROFIL_WAIT_MM_END,	/* the last mmput() */
	PROFIL_WAIT_DUMP,	/* a dump that no exit waits for */
};

u8 profil_payer_hash(const struct cred *cred);
bool profil_payer_enter(u8 payer, enum profil_wait what);
void profil_payer_leave(u8 payer, enum profil_wait what);
bool profil_payer_is_full(u8 payer, enum profil_wait what);

/* cputime.c: CPU time, exact for the calling thread */

u64 profil_cputime_thread(const struct task_struct *task);
u64 profil_cputime_process(struct signal_struct *signal);

/* probes.c: functions at the kernel's tracepoints */

struct tracepoint;

struct profil_probe {
	const char *name;	/* of the tracepoint */
	void *probe;
	struct tracepoint *tracepoint;
};

int profil_probes_add(struct profil_probe *probes, int nr);
void profil_probes_remove(struct profil_probe *probes, int nr);

/*
 * memory/: the program's buffers, and all that touches another process's mm.
 * Process context and workers, under refresh_lock; takes mmap_lock.  The tick
 * and the notifier's callback come to buffer.c with profile->lock.
 */

/* remote.c: another process's mm: its lock is tried, and its end may block */

int profil_remote_read_lock(struct mm_struct *mm, bool wait);
int profil_remote_write_lock(struct mm_struct *mm, bool wait);
int profil_remote_lock_vmas(struct mm_struct *mm, bool wait);
int profil_remote_get(struct mm_struct *mm, u8 payer);
void profil_remote_put(struct mm_struct *mm, u8 payer);
int profil_remote_init(void);
void profil_remote_exit(void);

/* buffer.c: one region's buffer; pin.c: its pages; vma.c: its mappings */

/*
 * profile->lock: live, wanted, pinned, reason, gone, and the counts.
 * Set once: offset to nr_pages, profile.  refresh_lock: all else.
 * The array at pages is read under profile->lock while pinned, and is changed
 * under refresh_lock while it is not.
 * What a tick needs comes first.
 */
struct profil_buffer {
	u64 offset;	/* the region's */
	u64 len;	/* bytes of text, from offset on, that it alone takes */
	u64 binned;
	union {
		struct page **pages;
		void **memory;	/* while pinned: the pages' addresses */
	};
	u64 scale;
	s64 mask;	/* profil_bin_mask() of its width */
	u64 first;	/* byte of the first page where the buffer begins */
	unsigned long nr_pages;
	bool live;	/* the pinned pages are mapped; else stale */
	bool wanted;	/* stale, and a pc waits for it */
	bool pinned;
	bool huge;	/* some pinned pages are parts of huge pages */
	bool fresh;	/* pinned, its huge pages not charged yet */
	bool watched;
	u8 reason;	/* PROFIL_REASON_*, if off */
	u8 misses;	/* refreshes that found no memory or page */
	u32 gone;	/* 0; unmapped: 1, and its samples since then */
	u32 missed_since;	/* jiffies at the first of misses */
	u64 saturated;
	struct profil_profile *profile;
	unsigned long looks;	/* samples counted while stale */
	struct mmu_interval_notifier watch;
};

/*
 * A buffer that was unmapped is off after the samples of so many ticks without
 * a refresh.
 */
#define PROFIL_GONE_TICKS	25

extern struct profil_buffer profil_buffer_none;	/* takes no pc */

u64 profil_buffer_bytes(const struct profil_region *region);
unsigned long profil_buffer_start(const struct profil_region *region);
unsigned long profil_buffer_nr_pages(const struct profil_region *region);
int profil_vma_check(struct mm_struct *mm,
		     const struct profil_region *region);
bool profil_vma_is_served(const struct vm_area_struct *vma);
void profil_buffer_invalidate(struct profil_buffer *buffer,
			      const struct mmu_notifier_range *range,
			      unsigned long seq);
void profil_buffer_release(struct profil_buffer *buffer);
int profil_buffer_pin(struct profil_buffer *buffer);
void profil_buffer_stale(struct profil_buffer *buffer);
void profil_buffer_drop(struct profil_buffer *buffer);
bool profil_buffer_inc(struct profil_buffer *buffer,
		       const struct profil_region *region, u64 pc);
bool profil_buffer_inc_mapped(struct profil_buffer *buffer,
			      const struct profil_region *region, u64 pc);
void profil_buffer_off(struct profil_buffer *buffer, u8 reason);

/* watch.c: the notifiers of all buffers of a profile */

int profil_watch_buffers(struct profil_profile *profile,
			 struct profil_buffer *buffers,
			 const struct mmu_interval_notifier_ops *ops);

/*
 * profile/: what counts one mm or one thread, from its creation to its end.
 * The tick, fork's tracepoint, ioctls and workers all come here.  Takes
 * refresh_lock, profil_table_lock and profile->lock.
 */

/* profile.c: create, put, tear down; table.c: publish, find, withdraw */

/*
 * References: the table has one from publish to withdraw, which passes it to
 * the teardown.  A caller that found the profile has one while it uses it.  The
 * tick has no reference: it runs inside an RCU read section, and once it sees
 * `dead` under the lock it touches nothing but the lock.
 */
struct profil_profile {
	struct rhash_head node;
	const void *key;	/* the mm, or the task of a thread profile */
	struct mm_struct *mm;	/* mmgrab(): free to exit */
	struct task_struct *task;	/* of a thread profile, held; or NULL */
	struct pid *pid;	/* of the process, or thread, that it counts */
	struct profil_layout *layout;
	refcount_t ref;

	/* Under the lock. */
	raw_spinlock_t lock;
	struct profil_buffer *hot;	/* live, counted last; or buffer_none */
	bool dead;		/* withdrawn: ticks no longer count in it */
	bool hooked;		/* has a use of the hooks */
	bool ending;		/* withdrawn, and a worker tears it down */
	u8 reason;		/* of the buffer switched off last */
	u32 nr_on;		/* buffers that are not off */
	struct profil_buffer *counting;	/* buffers, while it may count */
	const struct profil_index *guess;	/* layout's, while it may count */
	unsigned long *off;	/* bitmap of the buffers that are off */
	unsigned long few_off;	/* off points here if a word is enough */
	struct profil_books books;	/* the buffers have the rest; cpu_ns: as told */
	atomic64_t missed;	/* due and not taken; no lock */
	struct profil_pending pending;
	/* Refreshes in a row that failed; belongs to the worker when dead. */
	unsigned int again;
	u8 unsampled;	/* runs of the worker before the first sample */

	/* A mutex, and what it covers; buffers also as struct profil_buffer. */
	struct mutex refresh_lock;
	struct profil_buffer *buffers;	/* NULL in a child not yet looked at */
	unsigned long accounted;	/* pages in mm->locked_vm */
	unsigned long kept;	/* profil_huge_kept() */
	bool unpaid;		/* its account is with its replacement */
	bool ended;		/* torn down */

	/* Set once. */
	u8 payer;		/* profil_payer_hash() */
	struct mem_cgroup *memcg;	/* of the mm, for workers; or NULL */
	unsigned long memlock;	/* bytes; RLIM_INFINITY if not limited */
	u64 cpu_start;		/* of profil_status_cpu_ns(), when it was set */

	struct delayed_work work;
	struct irq_work grow;
	struct rcu_head rcu;
};

extern struct workqueue_struct *profil_wq;

/*
 * May the caller sleep until the program's pages and mmap_lock are there?  Its
 * own process may, because it holds up nothing but itself; but not while it
 * keeps pages that no account pays for.  The caller holds refresh_lock.
 */
static inline bool profil_profile_may_wait(const struct profil_profile *profile)
{
	return profile->mm == current->mm && !profile->unpaid;
}

int profil_profile_init(void);
void profil_profile_exit(void);
struct profil_profile *profil_profile_create(struct profil_layout *layout,
					     struct task_struct *owner,
					     struct mm_struct *mm, gfp_t gfp);
void profil_profile_put(struct profil_profile *profile);
struct profil_profile *profil_profile_find(const void *key);
struct profil_profile *profil_profile_find_for(struct task_struct *task,
					       struct mm_struct *mm);
int profil_table_init(void);
void profil_table_exit(void);
struct profil_profile *profil_profile_get(bool thread);
struct profil_profile *profil_profile_get_of(const void *key,
					     const struct mm_struct *mm);
void profil_profile_for_each(void (*visit)(struct profil_profile *, void *),
			     void *data);
int profil_profile_publish(struct profil_profile *profile,
			   struct profil_profile **old);
bool profil_profile_withdraw(struct profil_profile *profile);
void profil_profile_withdraw_async(struct profil_profile *profile);
void profil_profile_teardown(struct profil_profile *profile);
int profil_profile_hook(struct profil_profile *profile, bool wait);
void profil_profile_unhook(struct profil_profile *profile);

/* refresh.c: pin what was remapped, count what is pending */

int profil_refresh_begin(struct profil_profile *profile);
int profil_refresh_end(struct profil_profile *profile);
void profil_refresh_let_go(struct profil_profile *profile);
int profil_refresh(struct profil_profile *profile);
void profil_refresh_last(struct profil_profile *profile);

/* worker.c: the deferred part, and its workqueue */

void profil_worker(struct work_struct *work);
void profil_worker_again(struct profil_profile *profile, int ret);
void profil_worker_end(struct profil_profile *profile);
int profil_worker_init(void);
void profil_worker_exit(void);

/* account.c: pinned pages against RLIMIT_MEMLOCK, memory against a cgroup */

int profil_account_charge(struct profil_profile *profile);
int profil_account_huge(struct profil_profile *profile);
int profil_account_uncharge(struct profil_profile *profile,
			    unsigned long nr_pages);
void profil_account_trim(struct profil_profile *profile);
unsigned long profil_account_take(struct profil_profile *profile,
				  struct profil_profile *old);
void profil_account_return(struct profil_profile *profile,
			   struct profil_profile *old, unsigned long nr_pages);

/* huge.c: pages that a pin keeps and the profile does not use */

int profil_huge_kept(const struct profil_profile *profile, unsigned long *kept);

/* inherit.c: a forked child's profile */

void profil_profile_inherit(const void *key, struct task_struct *task);

/* hooks.c: in while they have a use */

enum profil_hook_set {
	PROFIL_HOOKS,		/* of every profile and dump */
	PROFIL_HOOKS_RATED,	/* of observers and profiles with a rate */
};

struct profil_hook {
	const char *name;
	int (*arm)(void);
	int (*disarm)(void);	/* on success no CPU is in the hook */
};

int profil_hook_get(enum profil_hook_set nr, bool wait);
void profil_hook_put(enum profil_hook_set nr);
void profil_hook_register(enum profil_hook_set nr,
			  const struct profil_hook *hooks, int nr_hooks);
int profil_hook_init(void);
void profil_hook_exit(void);

/* ledger.c: what was created and what destroyed */

enum profil_ledger_item {
	PROFIL_LEDGER_PROFILES,
	PROFIL_LEDGER_LAYOUTS,
	PROFIL_LEDGER_WATCHES,
	PROFIL_LEDGER_PAGES_PINNED,
	PROFIL_LEDGER_PAGES_ACCOUNTED,
	PROFIL_LEDGER_HOOK_USES,
	PROFIL_LEDGER_DUMPS,
	PROFIL_LEDGER_SPARES,
	PROFIL_LEDGER_PAGES_TAKEN,
	PROFIL_LEDGER_TABLES,
	PROFIL_LEDGER_FOLLOWS,
	PROFIL_LEDGER_OBJECTS,
	PROFIL_LEDGER_MAPS,
};

void profil_ledger_in(enum profil_ledger_item item, long n);
void profil_ledger_out(enum profil_ledger_item item, long n);
void profil_ledger_close(bool always);

#endif /* _PROFIL_H */
