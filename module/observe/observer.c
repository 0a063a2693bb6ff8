// SPDX-License-Identifier: GPL-2.0-only
/*
 * One observer: its birth, its halves, its mapping, its end.
 *
 * The descriptor and each mapping hold a reference.  The last put gives back
 * the user's memlock at once; the memory goes a grace period later, because a
 * sample may still use it.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched/user.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>

#include "observe/observe.h"
#include "profil.h"

/* A user has these above RLIMIT_MEMLOCK: halves as for perf, unwind tables. */
#define FREE_BYTES_PER_CPU	SZ_512K
#define FREE_BYTES		SZ_1M

static void observer_wake(struct irq_work *work)
{
	struct profil_observer *observer =
		container_of(work, struct profil_observer, wake);

	WRITE_ONCE(observer->poke, true);
	wake_up_interruptible(&observer->wait);
}

static unsigned long observer_pages(const struct profil_observer *observer)
{
	return (observer->table.size + observer->paths_size) >> PAGE_SHIFT;
}

/**
 * profil_observer_charge() - count memory for the opener's RLIMIT_MEMLOCK
 * @observer: that it is for
 * @pages: to be taken from locked_vm again, also where this fails
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int profil_observer_charge(struct profil_observer *observer,
			   unsigned long pages)
{
	unsigned long free = (FREE_BYTES >> PAGE_SHIFT) +
			     nr_cpu_ids * (FREE_BYTES_PER_CPU >> PAGE_SHIFT);
	unsigned long allowed = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	atomic_long_t *locked = &observer->cred->user->locked_vm;

	if (atomic_long_add_return(pages, locked) >
	    allowed + free && !capable(CAP_IPC_LOCK))
		return -ENOMEM;
	return 0;
}

static void observer_free(struct work_struct *work)
{
	struct profil_observer *observer =
		container_of(to_rcu_work(work), struct profil_observer,
			     free_work);

	irq_work_sync(&observer->wake);
	if (observer->table.map)
		profil_table_free(&observer->table);
	mem_cgroup_put(observer->memcg);
	put_cred(observer->cred);
	put_pid_ns(observer->pid_ns);
	kfree(observer);
}

/* Context: process. */
static void observer_put(struct profil_observer *observer)
{
	if (!refcount_dec_and_test(&observer->ref))
		return;
	atomic_long_sub(observer_pages(observer),
			&observer->cred->user->locked_vm);
	queue_rcu_work(profil_wq, &observer->free_work);
}

static int observe_check(const struct profil_observe *arg)
{
	if (arg->flags & ~(PROFIL_OBSERVE_F_THREADS |
			   PROFIL_OBSERVE_F_USER_ONLY))
		return -EINVAL;
	if (arg->depth > PROFIL_DEPTH_MAX)
		return -EOPNOTSUPP;
	if (!arg->rate_hz || arg->rate_hz > PROFIL_RATE_MAX_ROOT)
		return -EINVAL;
	if (!arg->nodes || arg->nodes > PROFIL_NODES_MAX || !arg->images ||
	    arg->images > PROFIL_IMAGES_MAX || arg->map_size)
		return -EINVAL;
	return profil_rate_check(arg->rate_hz);
}

static struct profil_observer *observer_alloc(struct file *file,
					      const struct profil_observe *arg)
{
	struct profil_observer *observer;

	observer = kzalloc(sizeof(*observer), GFP_KERNEL_ACCOUNT);
	if (!observer)
		return NULL;
	refcount_set(&observer->ref, 1);
	observer->flags = arg->flags;
	observer->rate_hz = arg->rate_hz;
	observer->payer = profil_payer_hash(current_cred());
	mutex_init(&observer->mutex);
	INIT_LIST_HEAD(&observer->follows);
	seqcount_init(&observer->ends);
	init_irq_work(&observer->wake, observer_wake);
	init_waitqueue_head(&observer->wait);
	xa_init_flags(&observer->objects, XA_FLAGS_ALLOC1);
	INIT_RCU_WORK(&observer->free_work, observer_free);
	observer->pid_ns = get_pid_ns(task_active_pid_ns(current));
	observer->memcg = get_mem_cgroup_from_mm(current->mm);
	observer->cred = get_current_cred();
	observer->may_ptrace = file_ns_capable(file, current_user_ns(),
					       CAP_SYS_PTRACE);
	return observer;
}

/**
 * profil_observer_create() - make an observer of a descriptor
 * @file: of /dev/profil
 * @arg: what is asked for; map_size is filled in
 *
 * Undone by profil_observer_close().
 *
 * Context: process; sleeps.
 * Return: 0, or see struct profil_observe.
 */
int profil_observer_create(struct file *file, struct profil_observe *arg)
{
	struct profil_observer *observer;
	struct profil_map map;
	int ret = observe_check(arg);

	if (ret)
		return ret;
	observer = observer_alloc(file, arg);
	if (!observer)
		return -ENOMEM;
	map = profil_table_plan(&observer->table, arg);
	if (arg->depth > 1)
		profil_paths_plan(observer, arg->depth, map.nodes);
	/* No memory is taken, not for a moment either, before it is paid for. */
	ret = profil_observer_charge(observer, observer_pages(observer));
	if (!ret)
		ret = profil_table_alloc(&observer->table, &map,
					 observer->paths_size);
	if (ret)
		goto err_put;
	observer->paths = (void *)observer->table.map + observer->table.size;
	observer->table.map->half[0].begin_ns = ktime_get_ns();
	ret = profil_hook_get(PROFIL_HOOKS_RATED, true);
	if (ret)
		goto err_put;
	if (cmpxchg(&file->private_data, NULL, observer)) {
		ret = -EBUSY;
		goto err_hooks;
	}
	arg->map_size = observer->table.size;
	return 0;

err_hooks:
	profil_hook_put(PROFIL_HOOKS_RATED);
err_put:
	observer_put(observer);
	return ret;
}

/* Context: process; the descriptor's last close. */
int profil_observer_close(struct inode *inode, struct file *file)
{
	struct profil_observer *observer = file->private_data;

	if (!observer)
		return 0;
	profil_follow_close(observer);
	profil_unwind_close(observer);
	profil_hook_put(PROFIL_HOOKS_RATED);
	observer_put(observer);
	return 0;
}

static void do_nothing(void *unused)
{
}

/*
 * On return no CPU writes the half that was active before: a writer has
 * interrupts off, so it is done when its CPU takes this one.  A CPU that has not
 * written the half is not interrupted, so that SWAP costs others nothing.
 */
static void wait_for_writers(struct profil_observer *observer, u32 quiet)
{
	struct cpumask *written = &observer->written[quiet];
	unsigned int cpu;

	/* Pairs with the barrier in profil_sample_half(). */
	smp_mb();
	preempt_disable();
	smp_call_function_many(written, do_nothing, NULL, true);
	preempt_enable();
	for_each_cpu(cpu, written)
		cpumask_clear_cpu(cpu, written);
}

/**
 * profil_observer_swap() - change the half that is written
 * @observer: of the caller's descriptor
 * @arg: quiet is filled in
 *
 * Context: process; sleeps.
 */
int profil_observer_swap(struct profil_observer *observer,
			 struct profil_swap *arg)
{
	struct profil_map *map = observer->table.map;
	u32 quiet, active, added, followed;

	if (mutex_lock_killable(&observer->mutex))
		return -EINTR;
	profil_rate_tell_all();
	quiet = observer->active;
	active = !quiet;
	profil_table_clear(&observer->table, active);
	/* The end that is not seen below pokes after this. */
	smp_store_mb(observer->poke, false);
	/* Before the change: what has ended by then is told of in this half. */
	added = READ_ONCE(observer->added);
	followed = atomic_read(&observer->nr_followed);
	/* A thread may end behind the last one, with a sample of it under way. */
	if (!followed && observer->settled != added) {
		synchronize_rcu();
		observer->settled = added;
	}
	map->half[active].begin_ns = ktime_get_ns();
	map->half[active].end_ns = 0;
	WRITE_ONCE(observer->swaps, observer->swaps + 1);
	/* The half, and its mask, are empty before it is written. */
	smp_store_release(&observer->active, active);
	wait_for_writers(observer, quiet);
	map->half[quiet].end_ns = map->half[active].begin_ns;
	/* An end may be missing in the sum, but none is in it twice. */
	observer->cpu_ns = max(observer->cpu_ns,
			       profil_record_followed_ns(observer));
	map->half[quiet].cpu_ns = observer->cpu_ns;
	map->followed = followed;
	arg->quiet = quiet;
	mutex_unlock(&observer->mutex);
	return 0;
}

/* Context: process. */
__poll_t profil_observer_poll(struct file *file,
			      struct poll_table_struct *wait)
{
	struct profil_observer *observer = READ_ONCE(file->private_data);

	if (!observer)
		return EPOLLERR;
	poll_wait(file, &observer->wait, wait);
	return READ_ONCE(observer->poke) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int mapping_release(struct inode *inode, struct file *file)
{
	observer_put(file->private_data);
	return 0;
}

/* What a mapping holds in place of the descriptor, which can then be closed. */
static const struct file_operations mapping_fops = {
	.owner = THIS_MODULE,
	.release = mapping_release,
};

/*
 * Slots are not: with pcs and slots at hand, a program that is its own tool would
 * find out by what the pcs are multiplied.
 */
static bool table_is_mapped(const struct profil_table *table, u64 pos)
{
	size_t halves = table->map->halves, half = table->map->half_size;

	return pos < table->size &&
	       (pos < halves || (size_t)(pos - halves) % half < table->slots_at);
}

static vm_fault_t mapping_fault(struct vm_fault *vmf)
{
	struct profil_observer *observer = vmf->vma->vm_private_data;
	u64 pos = (u64)vmf->pgoff << PAGE_SHIFT;

	if (!table_is_mapped(&observer->table, pos))
		return VM_FAULT_SIGBUS;
	vmf->page = vmalloc_to_page((void *)observer->table.map + pos);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct mapping_ops = {
	.fault = mapping_fault,
};

/* Context: process; mmap_lock is held to write. */
int profil_observer_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct profil_observer *observer = READ_ONCE(file->private_data);
	struct file *holder;

	if (!observer)
		return -ENODEV;
	if (vma->vm_flags & VM_WRITE || !(vma->vm_flags & VM_SHARED))
		return -EACCES;
	if (vma->vm_pgoff)
		return -EINVAL;
	refcount_inc(&observer->ref);
	holder = anon_inode_getfile("[profil]", &mapping_fops, observer,
				    O_RDONLY | O_CLOEXEC);
	if (IS_ERR(holder)) {
		observer_put(observer);
		return PTR_ERR(holder);
	}
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYWRITE);
	vma->vm_private_data = observer;
	vma->vm_ops = &mapping_ops;
	swap(vma->vm_file, holder);
	fput(holder);
	return 0;
}
