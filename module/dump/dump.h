/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A dump: a range of a process's memory, written to a file when it exits.
 *
 * All threads of the process share it.  It ends with the process, or at exec.
 *
 *	request.c	PROFIL_IOC_SET asks for it
 *	dump.c		the table of dumps, and fork, exec, exit
 *	exit.c		the exit waits while a kernel thread writes the file
 *	pages.c		takes the pages of the range
 *	file.c		writes them with the rights of the process
 *
 * Contexts: SET is in a process that may sleep.  Fork, exec and exit are in a
 * tracepoint, which must not.  exit.c has work items and a thread for each file.
 * Locks: dump_table_lock covers the table, and spare_lock, which nests in it, the
 * spare files; both are spinlocks.  pages.c takes mmap_lock to read.  file.c takes
 * no lock of the module.
 */
#ifndef _PROFIL_DUMP_H
#define _PROFIL_DUMP_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/path.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <profil/ioctl.h>

struct cred;
struct pid_namespace;
struct vm_area_struct;

/* dump.c: the table of dumps */

struct profil_dump_file {
	struct hlist_node node;
	const struct signal_struct *process;
	refcount_t ref;

	/* Set once. */
	u64 exec_id;
	struct path dir;
	const struct cred *cred;
	struct pid_namespace *pid_ns;
	pid_t pid;		/* in pid_ns */
	u8 payer;		/* profil_payer_hash() */
	u64 addr;
	u64 size;

	struct completion tried;	/* the call that published it has ended */

	/* Under dump_table_lock; the exit's once the dump is withdrawn. */
	bool wanted;		/* a call was successful */
	u64 head;		/* bytes before those that are counted by: */
	u64 len;		/* address of a u32, read at the exit */

	/* The exit's. */
	struct mm_struct *mm;	/* mmget: until the pages are taken */
	bool write;		/* a file, rather than drop the dump */
	bool waited_for;	/* by the exit */
	int stage;		/* DUMP_* */
	wait_queue_head_t wait;
	struct mem_cgroup *memcg;	/* pays for the file's pages, or NULL */
	u64 file_limit;		/* RLIMIT_FSIZE, bytes */
	char comm[TASK_COMM_LEN];
	unsigned int tries;	/* to start, where no exit waits */
	struct delayed_work work;
};

struct profil_dump_file *profil_dump_create(struct task_struct *task,
					    const struct path *dir,
					    const struct cred *cred,
					    struct pid_namespace *pid_ns, gfp_t gfp);
struct profil_dump_file *profil_dump_get(void);
void profil_dump_put(struct profil_dump_file *dump);
bool profil_dump_publish(struct profil_dump_file *dump);
void profil_dump_end(struct profil_dump_file *dump,
		     const struct profil_dump *request, bool wanted);
void profil_dump_at_fork(struct task_struct *parent, struct task_struct *child);
void profil_dump_at_exec(struct task_struct *task);
void profil_dump_at_exit(struct task_struct *task);

/* request.c: what PROFIL_IOC_SET says of a dump */

extern bool profil_dump_allowed;

int profil_request_read(struct profil_dump *request, const void __user *from);
struct profil_dump_file *
profil_request_begin(const struct profil_dump *request);

/* exit.c: the exit of a process that has a dump */

int profil_dump_make_spare(void);
void profil_dump_reserve(int n);
void profil_dump_work(struct work_struct *work);
void profil_dump_finish(struct profil_dump_file *dump);
int profil_dump_init(void);
void profil_dump_exit(void);

/* pages.c: the pages of a range of memory */

struct profil_pages {
	struct page **page;
	unsigned long nr_pages;
	unsigned long offset;	/* of the first byte, in the first page */
	u64 size;		/* bytes */
};

bool profil_pages_are_private(const struct vm_area_struct *vma);
int profil_pages_take(struct profil_pages *pages, struct mm_struct *mm,
		      u64 addr, u64 size);
void profil_pages_release(struct profil_pages *pages);

/* file.c: the file */

int profil_file_write(const struct profil_dump_file *dump,
		      const struct profil_pages *pages);

#endif /* _PROFIL_DUMP_H */
