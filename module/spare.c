// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spare files: how an exiting task is brought to where it may sleep, before
 * its parent hears of it.
 *
 * Where a module hears of an exit nothing may sleep.  But the last reference
 * to a file that a task puts there is released in the task itself, a little
 * later, with the files that it had open; and only then is its parent told:
 *
 *	do_exit()
 *	  sched_process_exit	profil_spare_spend() puts a file
 *	  exit_files() ...
 *	  exit_task_work()	spare_release(), which may sleep
 *	  exit_notify()		the parent's wait() returns
 *
 * The files are empty and nobody's.  They are made beforehand, where one may
 * sleep: one for each gmon, and some more for children that end before theirs
 * is made.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "gmon.h"
#include "profil.h"

#define SLACK		16
#define SLACK_FORKING	64

static DEFINE_SPINLOCK(spare_lock);
static struct file *spares;	/* each points to the next */
static unsigned int nr_spares;
static unsigned int nr_reserved;
static unsigned int slack = SLACK;

static unsigned int nr_wanted(void)
{
	return nr_reserved ? nr_reserved + slack : 0;
}

static int spare_release(struct inode *inode, struct file *file)
{
	profil_ledger_out(PROFIL_LEDGER_SPARES, 1);
	if (file->private_data)
		profil_epilogue_wait(file->private_data);
	return 0;
}

static const struct file_operations spare_fops = {
	.owner = THIS_MODULE,
	.release = spare_release,
};

static int spare_make(void)
{
	struct file *file = anon_inode_getfile("[profil]", &spare_fops, NULL,
					       O_RDONLY);

	if (IS_ERR(file))
		return PTR_ERR(file);
	profil_ledger_in(PROFIL_LEDGER_SPARES, 1);
	spin_lock(&spare_lock);
	file->private_data = spares;
	spares = file;
	nr_spares++;
	spin_unlock(&spare_lock);
	return 0;
}

/* One, if there are more than a number. */
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

/* What can't be had now is tried again with the next gmon. */
static void spare_balance(struct work_struct *work)
{
	struct file *file;
	bool fewer;

	do {
		spin_lock(&spare_lock);
		fewer = nr_spares < nr_wanted();
		file = spare_take(nr_wanted());
		spin_unlock(&spare_lock);
		if (file)
			fput(file);
	} while (file || (fewer && !spare_make()));
}

static DECLARE_WORK(balance_work, spare_balance);

static void spare_reserve(int n, unsigned int least_slack)
{
	spin_lock(&spare_lock);
	nr_reserved += n;
	slack = nr_reserved ? max(slack, least_slack) : SLACK;
	spin_unlock(&spare_lock);
	/* Not in line behind what users queue. */
	queue_work(system_highpri_wq, &balance_work);
}

/**
 * profil_spare_reserve() - have one more file
 *
 * Undone by profil_spare_unreserve().
 *
 * Context: process; may sleep.
 * Return: 0, -ENFILE, -ENOMEM.
 */
int profil_spare_reserve(void)
{
	int ret = spare_make();

	if (!ret)
		spare_reserve(1, SLACK);
	return ret;
}

/* The same where one must not sleep: the file will be there soon. */
void profil_spare_reserve_async(void)
{
	spare_reserve(1, SLACK_FORKING);
}

/* Context: any but interrupts. */
void profil_spare_unreserve(void)
{
	spare_reserve(-1, SLACK);
}

/**
 * profil_spare_spend() - have profil_epilogue_wait() called by this task
 * @gmon: for it
 *
 * Context: the tracepoint of exit; does not sleep.
 * Return: false if there is no file to do it with.
 */
bool profil_spare_spend(struct profil_gmon *gmon)
{
	struct file *file;

	spin_lock(&spare_lock);
	file = spare_take(0);
	spin_unlock(&spare_lock);
	if (!file)
		return false;
	file->private_data = gmon;
	fput(file);
	return true;
}

/* Every file has a reference to the module: there is none left. */
void profil_spare_exit(void)
{
	cancel_work_sync(&balance_work);
}
