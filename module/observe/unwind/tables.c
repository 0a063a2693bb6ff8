// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_IOC_UNWIND: objects and maps, from the ioctl to their end.
 */
#include <linux/cred.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "observe/observe.h"
#include "observe/unwind/object.h"
#include "profil.h"

const struct profil_object profil_frame_pointers;

static atomic64_t last_maps;

/* Context: any. */
static void charge_end(struct profil_charge *charge)
{
	unsigned long pages = xchg(&charge->pages, 0);

	atomic_long_sub(pages, &charge->cred->user->locked_vm);
}

/*
 * Memory that the observer's user and cgroup pay for.  Undone by charge_end(),
 * put_cred() and kvfree().
 */
static void *charged_alloc(struct profil_observer *observer, size_t size,
			   struct profil_charge *charge)
{
	struct mem_cgroup *old;
	void *memory = NULL;

	charge->cred = get_cred(observer->cred);
	charge->pages = PAGE_ALIGN(size) >> PAGE_SHIFT;
	if (!profil_observer_charge(observer, charge->pages)) {
		old = set_active_memcg(observer->memcg);
		memory = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		set_active_memcg(old);
	}
	if (!memory) {
		charge_end(charge);
		put_cred(charge->cred);
	}
	return memory;
}

/* Context: process; no sample uses the object any more. */
static void object_put(struct profil_object *object)
{
	if (!refcount_dec_and_test(&object->ref))
		return;
	charge_end(&object->charge);
	put_cred(object->charge.cred);
	kvfree(object);
	profil_ledger_out(PROFIL_LEDGER_OBJECTS, 1);
}

static struct profil_object *object_create(struct profil_observer *observer,
					   const struct profil_unwind *arg)
{
	size_t size = sizeof(struct profil_object) + arg->bytes;
	struct profil_charge charge;
	struct profil_object *object;
	int ret = 0;

	object = charged_alloc(observer, size, &charge);
	if (!object)
		return ERR_PTR(-ENOMEM);
	profil_ledger_in(PROFIL_LEDGER_OBJECTS, 1);
	refcount_set(&object->ref, 1);
	object->charge = charge;
	if (copy_from_user(&object->table, u64_to_user_ptr(arg->addr),
			   arg->bytes))
		ret = -EFAULT;
	else if (!profil_unwind_check(&object->table, arg->bytes, ELF_ARCH,
				      &object->view))
		ret = -EINVAL;
	if (!ret)
		return object;
	object_put(object);
	return ERR_PTR(ret);
}

static int unwind_object(struct profil_observer *observer,
			 struct profil_unwind *arg)
{
	struct profil_object *object;
	u32 id;
	int ret;

	if (arg->id || arg->image || arg->fd ||
	    arg->bytes < sizeof(struct profil_unwind_table))
		return -EINVAL;
	if (arg->bytes > PROFIL_UNWIND_BYTES_MAX)
		return -E2BIG;
	object = object_create(observer, arg);
	if (IS_ERR(object))
		return PTR_ERR(object);
	ret = xa_alloc_cyclic(&observer->objects, &id, object,
			      XA_LIMIT(1, PROFIL_UNWIND_FRAME_POINTERS - 1),
			      &observer->next_object, GFP_KERNEL_ACCOUNT);
	if (ret < 0) {
		object_put(object);
		return ret;
	}
	arg->id = id;
	return 0;
}

static int unwind_drop(struct profil_observer *observer,
		       const struct profil_unwind *arg)
{
	struct profil_object *object;

	if (arg->image || arg->fd || arg->addr || arg->bytes)
		return -EINVAL;
	object = xa_erase(&observer->objects, arg->id);
	if (!object)
		return -ENOENT;
	object_put(object);
	return 0;
}

/* A reference to the object of an id. */
static struct profil_object *object_get(struct profil_observer *observer,
					u32 id)
{
	struct profil_object *object;

	xa_lock(&observer->objects);
	object = xa_load(&observer->objects, id);
	if (object)
		refcount_inc(&object->ref);
	xa_unlock(&observer->objects);
	return object;
}

/* No sample uses the maps any more. */
static void maps_free(struct work_struct *work)
{
	struct profil_maps *maps = container_of(to_rcu_work(work),
						struct profil_maps, free_work);
	struct profil_object *object;
	u32 i;

	for (i = 0; i < maps->nr; i++) {
		object = (struct profil_object *)maps->entry[i].object;
		if (object && object != &profil_frame_pointers)
			object_put(object);
	}
	put_cred(maps->charge.cred);
	kvfree(maps);
	profil_ledger_out(PROFIL_LEDGER_MAPS, 1);
}

/* NULL after the last reference.  Context: inside an RCU read section. */
struct profil_maps *profil_maps_get(struct profil_maps *maps)
{
	return maps && refcount_inc_not_zero(&maps->ref) ? maps : NULL;
}

/* The user's memlock comes back at once.  Context: any. */
void profil_maps_put(struct profil_maps *maps)
{
	if (!maps || !refcount_dec_and_test(&maps->ref))
		return;
	charge_end(&maps->charge);
	queue_rcu_work(profil_wq, &maps->free_work);
}

static int maps_take_entry(struct profil_observer *observer,
			   struct profil_map_entry *entry, u64 lowest,
			   const struct profil_unwind_map *map)
{
	u64 end;

	if (map->reserved || !map->length || map->start < lowest ||
	    check_add_overflow(map->start, (u64)map->length, &end) ||
	    end > PROFIL_UNWIND_LIMIT)
		return -EINVAL;
	entry->start = map->start;
	entry->length = map->length;
	entry->offset = map->offset;
	entry->object = NULL;
	if (map->object == PROFIL_UNWIND_FRAME_POINTERS)
		entry->object = &profil_frame_pointers;
	else if (map->object)
		entry->object = object_get(observer, map->object);
	return map->object && !entry->object ? -ENOENT : 0;
}

static int maps_take(struct profil_observer *observer,
		     struct profil_maps *maps,
		     const struct profil_unwind_map __user *from, u32 nr)
{
	struct profil_unwind_map map = {};
	u64 lowest = 0;
	int ret = 0;
	u32 i;

	for (i = 0; i < nr && !ret; i++) {
		if (copy_from_user(&map, &from[i], sizeof(map)))
			return -EFAULT;
		ret = maps_take_entry(observer, &maps->entry[i], lowest, &map);
		lowest = map.start + map.length;
		if (!ret)
			maps->nr++;
	}
	return ret;
}

static struct profil_maps *maps_create(struct profil_observer *observer,
				       const struct profil_unwind *arg)
{
	u32 nr = arg->bytes / sizeof(struct profil_unwind_map);
	struct profil_charge charge;
	struct profil_maps *maps;
	int ret;

	maps = charged_alloc(observer, struct_size(maps, entry, nr), &charge);
	if (!maps)
		return ERR_PTR(-ENOMEM);
	profil_ledger_in(PROFIL_LEDGER_MAPS, 1);
	refcount_set(&maps->ref, 1);
	maps->nr = 0;
	maps->id = atomic64_inc_return(&last_maps);
	maps->charge = charge;
	INIT_RCU_WORK(&maps->free_work, maps_free);
	ret = maps_take(observer, maps, u64_to_user_ptr(arg->addr), nr);
	if (!ret)
		return maps;
	profil_maps_put(maps);
	return ERR_PTR(ret);
}

static int maps_publish(struct profil_observer *observer, u32 image,
			const struct mm_struct *mm, struct profil_maps *maps)
{
	struct profil_follow *follow;
	int ret = -ESRCH;

	rcu_read_lock();
	list_for_each_entry_rcu(follow, &observer->follows, sibling) {
		if (READ_ONCE(follow->image) != image)
			continue;
		if (profil_join_has_mm(follow->signal, mm))
			ret = profil_follow_set_maps(follow, image, maps);
		break;
	}
	rcu_read_unlock();
	return ret;
}

static int unwind_maps(struct profil_observer *observer,
		       const struct profil_unwind *arg)
{
	struct profil_maps *maps;
	struct file *file;
	int ret = -ESRCH;

	if (arg->id || arg->bytes % sizeof(struct profil_unwind_map))
		return -EINVAL;
	if (arg->bytes > PROFIL_UNWIND_MAPS_MAX *
			 sizeof(struct profil_unwind_map))
		return -E2BIG;
	file = profil_join_open(arg->fd);
	if (IS_ERR(file))
		return PTR_ERR(file);
	maps = arg->bytes ? maps_create(observer, arg) : NULL;
	if (IS_ERR(maps)) {
		ret = PTR_ERR(maps);
		goto out;
	}
	if (arg->image)
		ret = maps_publish(observer, arg->image, file->private_data,
				   maps);
	if (ret)
		profil_maps_put(maps);
out:
	fput(file);
	return ret;
}

/**
 * profil_unwind() - give an observer an object or maps, or drop an object
 * @observer: of the caller's descriptor
 * @arg: id is filled in for an object
 *
 * Context: process; sleeps.
 * Return: 0, or see struct profil_unwind.
 */
int profil_unwind(struct profil_observer *observer, struct profil_unwind *arg)
{
	if (!(observer->flags & PROFIL_OBSERVE_PATHS) || arg->flags)
		return -EINVAL;
	switch (arg->op) {
	case PROFIL_UNWIND_OBJECT:
		return unwind_object(observer, arg);
	case PROFIL_UNWIND_MAPS:
		return unwind_maps(observer, arg);
	case PROFIL_UNWIND_DROP:
		return unwind_drop(observer, arg);
	default:
		return -EINVAL;
	}
}

/* Context: process; the descriptor's last close, and no follow is left. */
void profil_unwind_close(struct profil_observer *observer)
{
	struct profil_object *object;
	unsigned long id;

	xa_for_each(&observer->objects, id, object) {
		charge_end(&object->charge);
		object_put(object);
	}
	xa_destroy(&observer->objects);
}
