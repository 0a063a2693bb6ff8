/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gmon, which a process's file comes from, and what writes it.
 */
#ifndef _PROFIL_GMON_H
#define _PROFIL_GMON_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/path.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <profil/ioctl.h>

struct cred;
struct pid_namespace;
struct user_namespace;

/* gmon.c: what is written to a file when a process ends */

struct profil_gmon {
	struct hlist_node node;
	const struct signal_struct *process;
	refcount_t ref;

	/* Set once. */
	u64 exec_id;
	struct path dir;
	const struct cred *cred;
	struct pid_namespace *pid_ns;
	pid_t pid;		/* in pid_ns */
	u64 addr;
	u64 size;
	bool hooked;		/* has a use of the hooks */
	bool reserved;		/* has a spare file */

	struct completion tried;	/* the first call has ended */

	/* Under profil_gmon_lock, and by the exit once it is withdrawn. */
	bool wanted;		/* by a call that was successful */
	u64 head;
	u64 len;		/* address of a u32 */

	/* The exit's. */
	struct mm_struct *mm;	/* mmget: until the pages are captured */
	bool write;
	struct mem_cgroup *memcg;	/* pays for the file's pages, or NULL */
	u64 file_limit;		/* RLIMIT_FSIZE, bytes */
	char comm[TASK_COMM_LEN];
	atomic_t state;
	struct list_head turn;	/* under turn_lock, as the next three */
	bool writing;
	const struct user_namespace *payer_ns;
	kuid_t payer;
	bool waited_for;	/* by the exit, in profil_epilogue_wait() */
	struct completion captured;
	struct completion done;
	struct work_struct work;
	struct delayed_work late_work;	/* if none waits; has a reference */
};

struct profil_gmon *profil_gmon_create(struct task_struct *task,
				       const struct path *dir,
				       const struct cred *cred,
				       struct pid_namespace *pid_ns, gfp_t gfp);
struct profil_gmon *profil_gmon_get(void);
void profil_gmon_put(struct profil_gmon *gmon);
bool profil_gmon_is_wanted(struct profil_gmon *gmon);
bool profil_gmon_publish(struct profil_gmon *gmon);
void profil_gmon_end(struct profil_gmon *gmon, const struct profil_dump *dump,
		     bool wanted);
void profil_gmon_fork(struct task_struct *parent, struct task_struct *child);
void profil_gmon_exec(struct task_struct *task);
void profil_gmon_exit(struct task_struct *task);

/* dump.c: a gmon from what a program asks for; note.c: whether it may */

int profil_dump_read(struct profil_dump *dump, const void __user *from);
struct profil_gmon *profil_dump_begin(const struct profil_dump *dump);
int profil_note_check(void);

/* spare.c: how an exiting task comes to where it may sleep */

int profil_spare_reserve(void);
void profil_spare_reserve_async(void);
void profil_spare_unreserve(void);
bool profil_spare_spend(struct profil_gmon *gmon);
void profil_spare_exit(void);

/* epilogue.c: the end of a process that has a gmon */

void profil_epilogue_work(struct work_struct *work);
void profil_epilogue_late(struct work_struct *work);
void profil_epilogue_begin(struct profil_gmon *gmon);
void profil_epilogue_wait(struct profil_gmon *gmon);
int profil_epilogue_init(void);
void profil_epilogue_exit(void);

/* turn.c: which of the files that wait are written now */

bool profil_turn_take(struct profil_gmon *gmon);
bool profil_turn_leave(struct profil_gmon *gmon);
struct profil_gmon *profil_turn_pass(struct profil_gmon *gmon);

/* capture.c: the pages that a range of memory consists of */

struct profil_capture {
	struct page **pages;
	unsigned long nr_pages;
	unsigned long offset;	/* of the first byte, in the first page */
	u64 size;		/* bytes */
};

int profil_capture_take(struct profil_capture *capture, struct mm_struct *mm,
			u64 addr, u64 size);
void profil_capture_release(struct profil_capture *capture);

/* outfile.c: the file */

int profil_outfile_write(const struct path *dir, const struct cred *cred,
			 const char *comm, pid_t pid,
			 const struct profil_capture *capture);

#endif /* _PROFIL_GMON_H */
