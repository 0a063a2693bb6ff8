// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registering the notifiers of all buffers of a profile.
 *
 * The first notifier of an mm takes the locks of all its mappings.  That may
 * take long, so mm_take_all_locks() gives up at any signal or task work.  In a
 * program with many mappings and a periodic timer each try would be cut short.
 * So after a signal that is not fatal a kernel thread tries, which gets
 * neither.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "profil.h"
#include "region/bin.h"

struct watcher {
	struct profil_profile *profile;
	struct profil_buffer *buffers;
	const struct mmu_interval_notifier_ops *ops;
	int ret;
	struct completion done;
};

/* Begins to watch one buffer, which begins stale: profil_buffer_release(). */
static int watch_one(struct profil_buffer *buffer,
		     const struct profil_region *region,
		     const struct mmu_interval_notifier_ops *ops)
{
	int ret;

	buffer->offset = region->offset;
	buffer->scale = region->scale;
	buffer->mask = profil_bin_mask(region->width);
	buffer->first = offset_in_page(region->base);
	buffer->nr_pages = profil_buffer_nr_pages(region);
	ret = mmu_interval_notifier_insert_locked(&buffer->watch,
						  buffer->profile->mm,
						  profil_buffer_start(region),
						  buffer->nr_pages << PAGE_SHIFT,
						  ops);
	if (ret)
		return ret;
	buffer->watched = true;
	profil_ledger_in(PROFIL_LEDGER_WATCHES, 1);
	return 0;
}

static int watch_all(const struct watcher *watcher)
{
	struct profil_profile *profile = watcher->profile;
	const struct profil_layout *layout = profile->layout;
	struct profil_buffer *buffers = watcher->buffers;
	u32 i;
	int ret;

	for (i = 0; i < layout->nr_regions; i++) {
		buffers[i].profile = profile;
		buffers[i].len = profil_layout_len(layout, i);
		if (test_bit(i, profile->off) || buffers[i].watched)
			continue;
		ret = watch_one(&buffers[i], &layout->regions[i], watcher->ops);
		if (ret)
			return ret;
	}
	return 0;
}

static int lock_and_watch(const struct watcher *watcher, bool own)
{
	struct mm_struct *mm = watcher->profile->mm;
	int ret;

	ret = profil_remote_write_lock(mm, own);
	if (ret)
		return ret;
	ret = profil_remote_lock_vmas(mm, own);
	if (!ret)
		ret = watch_all(watcher);
	mmap_write_unlock(mm);
	return ret;
}

static int watcher_thread(void *data)
{
	struct watcher *watcher = data;

	watcher->ret = lock_and_watch(watcher, true);
	complete(&watcher->done);
	return 0;
}

static int watch_in_thread(struct watcher *watcher)
{
	struct task_struct *thread;

	init_completion(&watcher->done);
	thread = kthread_create(watcher_thread, watcher, "profil_watch");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	get_task_struct(thread);
	wake_up_process(thread);
	/* The thread blocks on mmap_lock at most, as the caller did before. */
	wait_for_completion(&watcher->done);
	/* On return the thread has left the module's text. */
	kthread_stop(thread);
	put_task_struct(thread);
	return watcher->ret;
}

/**
 * profil_watch_buffers() - begin to watch all buffers that are not off
 * @profile: its mm has users
 * @buffers: of the profile; to be released even if not all are watched
 * @ops: its callback calls profil_buffer_invalidate()
 *
 * Context: process; may sleep.  The caller holds refresh_lock.
 * Return: 0; -ENOMEM; -EINTR if the caller is killed; -EAGAIN if a worker would
 * have to wait.
 */
int profil_watch_buffers(struct profil_profile *profile,
			 struct profil_buffer *buffers,
			 const struct mmu_interval_notifier_ops *ops)
{
	struct watcher watcher = {
		.profile = profile,
		.buffers = buffers,
		.ops = ops,
	};
	int ret;

	lockdep_assert_held(&profile->refresh_lock);
	ret = lock_and_watch(&watcher, profile->mm == current->mm);
	if (ret == -EINTR && !fatal_signal_pending(current))
		ret = watch_in_thread(&watcher);
	return ret;
}
