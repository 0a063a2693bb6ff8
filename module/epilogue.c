// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a process that has a gmon: its file is written while the last
 * thread waits.
 */
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/workqueue.h>

#include "gmon.h"
#include "profil.h"

/* How long an exit waits for a file system that doesn't answer. */
#define EXIT_WAIT	(30 * HZ)

/* Who gives up the address space: the exit, or as it would have, the exec. */
enum {
	GMON_IDLE,	/* the exit, if it becomes late: nothing is written */
	GMON_WORKING,	/* nobody yet: its pages are being taken hold of */
	GMON_CAPTURED,	/* the exit */
	GMON_LATE,	/* the exit has, or the work if that was at it */
};

static struct workqueue_struct *epilogue_wq;

/* Samples that wait for their buffer belong into the file. */
static void settle(struct mm_struct *mm)
{
	struct profil_profile *profile = profil_profile_get_of(mm, mm);

	if (!profile)
		return;
	profil_settle_last(profile);
	profil_profile_put(profile);
}

/* What the process has said that is to be written. */
static int capture(struct profil_gmon *gmon, struct profil_capture *captured)
{
	struct profil_capture one;
	u64 size;
	int ret;

	ret = profil_capture_take(&one, gmon->mm, gmon->len, sizeof(u32));
	if (ret)
		return ret;
	size = READ_ONCE(*(u32 *)(page_address(one.pages[0]) + one.offset));
	profil_capture_release(&one);
	if (!size || size > gmon->size - gmon->head)
		return -ENODATA;
	size += gmon->head;
	if (size > gmon->file_limit)
		return -EFBIG;
	return profil_capture_take(captured, gmon->mm, gmon->addr, size);
}

static void give_up_mm(struct profil_gmon *gmon)
{
	mmput(gmon->mm);
	gmon->mm = NULL;
}

/* The same where nobody's own task can: its end may keep a work for good. */
static void abandon_mm(struct profil_gmon *gmon)
{
	profil_mm_put(gmon->mm, profil_payer_hash(gmon->cred));
	gmon->mm = NULL;
}

/*
 * The end of an address space may take long, and wait for what never comes
 * (requests of AIO): so it is the exit's own business, as it was without us.
 */
static void hand_mm_over(struct profil_gmon *gmon)
{
	if (gmon->waited_for &&
	    atomic_cmpxchg(&gmon->state, GMON_WORKING, GMON_CAPTURED) ==
	    GMON_WORKING)
		complete(&gmon->captured);
	else
		abandon_mm(gmon);
}

static void write_gmon(struct profil_gmon *gmon)
{
	struct profil_capture captured;
	struct mem_cgroup *old;
	int ret;

	old = set_active_memcg(gmon->memcg);
	settle(gmon->mm);
	ret = capture(gmon, &captured);
	/* However long the file takes. */
	hand_mm_over(gmon);
	if (!ret) {
		profil_outfile_write(&gmon->dir, gmon->cred, gmon->comm,
				     gmon->pid, &captured);
		profil_capture_release(&captured);
	}
	set_active_memcg(old);
}

static void end(struct profil_gmon *gmon)
{
	struct profil_gmon *next = profil_turn_pass(gmon);

	if (next)
		queue_work(epilogue_wq, &next->work);
	/* Whoever hears of the end may want to unmount it. */
	path_put(&gmon->dir);
	gmon->dir = (struct path){};
	complete(&gmon->done);
	if (cancel_delayed_work(&gmon->late_work))
		profil_gmon_put(gmon);
	profil_gmon_put(gmon);
}

/* Context: workqueue. */
void profil_epilogue_work(struct work_struct *work)
{
	struct profil_gmon *gmon = container_of(work, struct profil_gmon, work);

	if (!gmon->write)
		abandon_mm(gmon);
	else if (atomic_cmpxchg(&gmon->state, GMON_IDLE, GMON_WORKING) ==
		 GMON_IDLE)
		write_gmon(gmon);
	end(gmon);
}

/* Whenever the work comes to it, memory must not wait. */
static void give_up_turn(struct profil_gmon *gmon)
{
	if (profil_turn_leave(gmon))
		queue_work(epilogue_wq, &gmon->work);
}

/* No exit waits for this one, and so none gives up.  Context: workqueue. */
void profil_epilogue_late(struct work_struct *work)
{
	struct profil_gmon *gmon = container_of(to_delayed_work(work),
						struct profil_gmon, late_work);

	if (atomic_xchg(&gmon->state, GMON_LATE) == GMON_IDLE) {
		abandon_mm(gmon);
		give_up_turn(gmon);
	}
	profil_gmon_put(gmon);
}

/**
 * profil_epilogue_begin() - write the file, if it is to be, and put the gmon
 * @gmon: withdrawn, or never published; the reference is taken over
 *
 * Context: any.
 */
void profil_epilogue_begin(struct profil_gmon *gmon)
{
	if (gmon->write && !gmon->waited_for) {
		refcount_inc(&gmon->ref);
		queue_delayed_work(profil_wq, &gmon->late_work, EXIT_WAIT);
	}
	if (!gmon->write || profil_turn_take(gmon))
		queue_work(epilogue_wq, &gmon->work);
}

/**
 * profil_epilogue_wait() - write the file, if it is to be, and wait for it
 * @gmon: withdrawn; the reference is taken over
 *
 * Context: a task that exits, or has executed another program; sleeps.
 */
void profil_epilogue_wait(struct profil_gmon *gmon)
{
	unsigned long left;

	if (!gmon->write)
		return end(gmon);
	refcount_inc(&gmon->ref);
	gmon->waited_for = true;
	profil_epilogue_begin(gmon);
	left = wait_for_completion_timeout(&gmon->captured, EXIT_WAIT);
	switch (atomic_xchg(&gmon->state, GMON_LATE)) {
	case GMON_IDLE:
		give_up_mm(gmon);
		give_up_turn(gmon);
		break;
	case GMON_CAPTURED:
		give_up_mm(gmon);
		wait_for_completion_timeout(&gmon->done, left);
		break;
	}
	profil_gmon_put(gmon);
}

int profil_epilogue_init(void)
{
	/* No more of a CPU than any other's: users decide how much there is. */
	epilogue_wq = alloc_workqueue("profil_gmon", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return epilogue_wq ? 0 : -ENOMEM;
}

/* There is no gmon any more, or the module could not be unloaded. */
void profil_epilogue_exit(void)
{
	destroy_workqueue(epilogue_wq);
}
