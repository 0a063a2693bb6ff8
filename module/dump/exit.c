// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exit of a process that has a dump: a kernel thread writes the file, and
 * the last thread of the process waits for it, as close(2) waits.
 *
 * Exit's tracepoint must not sleep.  But the task releases a file that it puts
 * there itself, later in its exit, where release() may sleep.  The parent is
 * told after that:
 *
 *	the last thread		a work item	a kernel thread
 *	sched_process_exit
 *	  profil_dump_finish()
 *	    fput()
 *	exit_task_work()
 *	  spare_release()
 *	    make a second file
 *	    queue the work item	start the thread
 *	    wait				take hold of the pages
 *	    put that, give up the mm		write the file
 *	  spare_release()
 *	    wait
 *	exit_notify()
 *
 * The work item starts the thread because kthread_create() waits killably, and
 * a task that dies of SIGKILL still has that signal pending.  Page faults wait
 * killably too, so the thread takes the pages.
 *
 * The spare files are empty.  They are made beforehand, where one may sleep:
 * one for each dump, and some more for children that end before theirs is made.
 * An exit that finds no spare file, in a burst of children, does not wait.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "delay.h"
#include "dump/dump.h"
#include "profil.h"

#define SPARES_MORE	64

/* For a dump that no exit waits for, while its user has as many as allowed. */
#define LATE_TRIES	10
#define LATE_DELAY	(HZ / 10)

/* What the thread has done. */
enum {
	DUMP_BEGUN,
	DUMP_TAKEN,	/* it holds the pages, and needs the mm no more */
	DUMP_WRITTEN,	/* it holds nothing of the directory's file system */
};

static DEFINE_SPINLOCK(spare_lock);
static struct file *spares;	/* each points to the next */
static unsigned int nr_spares;
static unsigned int nr_reserved;
static struct workqueue_struct *exit_wq;

static void dump_advance(struct profil_dump_file *dump, int stage)
{
	/* Pairs with dump_await(). */
	smp_store_release(&dump->stage, stage);
	wake_up(&dump->wait);
}

/*
 * Not in state D, in which a task that waits for a hung file system raises the
 * load average and sets off the detector of hung tasks.
 */
static void dump_await(struct profil_dump_file *dump, int stage)
{
	/* Pairs with dump_advance(). */
	wait_event_idle(dump->wait, smp_load_acquire(&dump->stage) >= stage);
}

/* Pending samples belong in the file. */
static void dump_refresh(struct mm_struct *mm)
{
	struct profil_profile *profile = profil_profile_get_of(mm, mm);

	if (!profile)
		return;
	profil_refresh_last(profile);
	profil_profile_put(profile);
}

/* The length is read now, because the program may change it up to its end. */
static int dump_take_pages(struct profil_dump_file *dump,
			   struct profil_pages *pages)
{
	struct profil_pages one;
	u64 size;
	int ret;

	ret = profil_pages_take(&one, dump->mm, dump->len, sizeof(u32));
	if (ret)
		return ret;
	size = READ_ONCE(*(u32 *)(page_address(one.page[0]) + one.offset));
	profil_pages_release(&one);
	if (!size || size > dump->size - dump->head)
		return -ENODATA;
	size += dump->head;
	if (size > dump->file_limit)
		return -EFBIG;
	return profil_pages_take(pages, dump->mm, dump->addr, size);
}

/*
 * The last mmput() may wait for an AIO request that is never answered.  The
 * exiting task waits for that, as it would without a dump.  If it waits for no
 * dump, a work item does, which counts against the user's limit.
 */
static void dump_leave_mm(struct profil_dump_file *dump)
{
	if (dump->waited_for) {
		dump_advance(dump, DUMP_TAKEN);
		return;
	}
	profil_remote_put(dump->mm, dump->payer);
	dump->mm = NULL;
}

static void dump_written(struct profil_dump_file *dump)
{
	/* The parent may unmount it as soon as it is told of the exit. */
	path_put(&dump->dir);
	dump->dir = (struct path){};
	if (dump->write && !dump->waited_for)
		profil_payer_leave(dump->payer, PROFIL_WAIT_DUMP);
	profil_delay();
	dump_advance(dump, DUMP_WRITTEN);
	profil_dump_put(dump);
}

static int dump_thread(void *data)
{
	struct profil_dump_file *dump = data;
	struct profil_pages pages;
	struct mem_cgroup *old;
	int ret;

	old = set_active_memcg(dump->memcg);
	dump_refresh(dump->mm);
	ret = dump_take_pages(dump, &pages);
	profil_delay();
	dump_leave_mm(dump);
	if (!ret) {
		profil_file_write(dump, &pages);
		profil_pages_release(&pages);
	}
	set_active_memcg(old);
	dump_written(dump);
	module_put_and_kthread_exit(0);
}

/* The thread holds the module, because it runs the module's code to the end. */
static bool dump_start_thread(struct profil_dump_file *dump)
{
	__module_get(THIS_MODULE);
	if (!IS_ERR(kthread_run(dump_thread, dump, "profil_dump")))
		return true;
	module_put(THIS_MODULE);
	return false;
}

/**
 * profil_dump_work() - start the thread of a dump
 * @work: in the dump; the thread takes over its reference
 *
 * RLIMIT_NPROC bounds the threads that an exit waits for, since that process
 * still exists.  The others have a limit of their own.  A dump that is above it
 * for a second is given up, so that its mm is freed.
 *
 * Context: workqueue.
 */
void profil_dump_work(struct work_struct *work)
{
	struct profil_dump_file *dump = container_of(to_delayed_work(work),
						struct profil_dump_file, work);

	if (dump->write && !dump->waited_for &&
	    !profil_payer_enter(dump->payer, PROFIL_WAIT_DUMP)) {
		if (dump->tries++ < LATE_TRIES) {
			queue_delayed_work(exit_wq, &dump->work, LATE_DELAY);
			return;
		}
		dump->write = false;
	}
	if (dump->write && dump_start_thread(dump))
		return;
	dump_leave_mm(dump);
	dump_written(dump);
}

static struct file *spare_new(void);

static void spare_put(struct file *file, struct profil_dump_file *dump)
{
	file->private_data = dump;
	fput(file);
}

/*
 * The task releases the files that the mm had mapped after this release()
 * returns, the one that was put last first.  So a second file is put before the
 * mm is given up, and the exit waits for the thread in the release() of that one.
 */
static void dump_give_up_mm(struct profil_dump_file *dump, struct file *second)
{
	if (!IS_ERR(second))
		spare_put(second, dump);
	mmput(dump->mm);
	dump->mm = NULL;
}

static int spare_release(struct inode *inode, struct file *file)
{
	struct profil_dump_file *dump = file->private_data;
	struct file *second;

	profil_ledger_out(PROFIL_LEDGER_SPARES, 1);
	if (dump && dump->write && !dump->waited_for) {
		/* Made first: the pages may take what the cgroup has left. */
		second = spare_new();
		/* The thread's. */
		refcount_inc(&dump->ref);
		dump->waited_for = true;
		queue_delayed_work(exit_wq, &dump->work, 0);
		dump_await(dump, DUMP_TAKEN);
		dump_give_up_mm(dump, second);
		if (!IS_ERR(second))
			return 0;
	}
	if (dump && dump->write)
		dump_await(dump, DUMP_WRITTEN);
	if (dump)
		profil_dump_put(dump);
	return 0;
}

static const struct file_operations spare_fops = {
	.owner = THIS_MODULE,
	.release = spare_release,
};

static struct file *spare_new(void)
{
	struct file *file = anon_inode_getfile("[profil]", &spare_fops, NULL,
					       O_RDONLY);

	if (!IS_ERR(file))
		profil_ledger_in(PROFIL_LEDGER_SPARES, 1);
	return file;
}

static unsigned int spare_wanted(void)
{
	return nr_reserved ? nr_reserved + SPARES_MORE : 0;
}

/*
 * Each dump has one made, because its exit may come before a worker does.
 *
 * Context: process; may sleep.  Return: 0, -ENFILE, -ENOMEM.
 */
int profil_dump_make_spare(void)
{
	struct file *file = spare_new();

	if (IS_ERR(file))
		return PTR_ERR(file);
	spin_lock(&spare_lock);
	file->private_data = spares;
	spares = file;
	nr_spares++;
	spin_unlock(&spare_lock);
	return 0;
}

/* Returns NULL if there are at most @keep. */
static struct file *spare_take(unsigned int keep)
{
	struct file *file = NULL;

	lockdep_assert_held(&spare_lock);
	if (nr_spares > keep) {
		file = spares;
		spares = file->private_data;
		file->private_data = NULL;
		nr_spares--;
	}
	return file;
}

/* If there is no memory now, the next dump tries again. */
static void spare_balance(struct work_struct *work)
{
	struct file *file;
	bool fewer;

	do {
		spin_lock(&spare_lock);
		fewer = nr_spares < spare_wanted();
		file = spare_take(spare_wanted());
		spin_unlock(&spare_lock);
		if (file)
			fput(file);
	} while (file || (fewer && !profil_dump_make_spare()));
}

static DECLARE_WORK(balance_work, spare_balance);

/**
 * profil_dump_reserve() - have a worker make or free spare files
 * @n: how many dumps more; below 0, how many fewer
 *
 * Context: any but interrupts.
 */
void profil_dump_reserve(int n)
{
	spin_lock(&spare_lock);
	nr_reserved += n;
	spin_unlock(&spare_lock);
	/* Users can't fill this workqueue. */
	queue_work(system_highpri_wq, &balance_work);
}

/**
 * profil_dump_finish() - write the file, if it is to be, and put the dump
 * @dump: withdrawn, or never published; the reference is taken over
 *
 * Context: a tracepoint of a user's task; does not sleep.
 */
void profil_dump_finish(struct profil_dump_file *dump)
{
	struct file *file;

	spin_lock(&spare_lock);
	file = spare_take(0);
	spin_unlock(&spare_lock);
	if (file)
		spare_put(file, dump);
	else
		queue_delayed_work(exit_wq, &dump->work, 0);
}

int profil_dump_init(void)
{
	/* An exit waits for these: no lack of memory, and no suspend, stops them. */
	exit_wq = alloc_workqueue("profil_exit", WQ_UNBOUND | WQ_MEM_RECLAIM,
				  WQ_MAX_ACTIVE);
	return exit_wq ? 0 : -ENOMEM;
}

/* Dumps and spare files hold the module, so all of them are gone. */
void profil_dump_exit(void)
{
	cancel_work_sync(&balance_work);
	destroy_workqueue(exit_wq);
}
