// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/profil: the table of ioctls, and the copying of their structs.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "dump/dump.h"
#include "ioctl/ioctl.h"
#include "observe/observe.h"
#include "profil.h"

/* The sizes of the first published ABI; its structs have no padding. */
static_assert(sizeof(struct profil_info) == 40);
static_assert(sizeof(struct profil_region) == 40);
static_assert(sizeof(struct profil_dump) == 40);
static_assert(sizeof(struct profil_set) == 56);
static_assert(sizeof(struct profil_books) == 64);
static_assert(sizeof(struct profil_region_status) == 24);
static_assert(sizeof(struct profil_status) == 112);
static_assert(sizeof(struct profil_observe) == 32);
static_assert(sizeof(struct profil_join) == 16);
static_assert(sizeof(struct profil_swap) == 8);
static_assert(sizeof(struct profil_unwind) == 40);
static_assert(sizeof(struct profil_unwind_table) == 16);
static_assert(sizeof(struct profil_unwind_rule) == 8);
static_assert(sizeof(struct profil_unwind_map) == 24);

union argument {
	u32 size;
	struct profil_info info;
	struct profil_set set;
	struct profil_status status;
	struct profil_observe observe;
	struct profil_join join;
	struct profil_swap swap;
	struct profil_unwind unwind;
};

static int ioctl_info(struct file *file, union argument *arg)
{
	arg->info.abi_version = PROFIL_ABI_VERSION;
	arg->info.features = PROFIL_FEAT_WIDTH_2 | PROFIL_FEAT_WIDTH_4 |
			     PROFIL_FEAT_WIDTH_8 | PROFIL_FEAT_REGIONS |
			     PROFIL_FEAT_OVERFLOW | PROFIL_FEAT_THREAD |
			     PROFIL_FEAT_USER_ONLY | PROFIL_FEAT_RATE |
			     PROFIL_FEAT_OBSERVE;
	if (profil_dump_allowed)
		arg->info.features |= PROFIL_FEAT_DUMP;
	if (profil_join_other_works())
		arg->info.features |= PROFIL_FEAT_JOIN_OTHER;
	if (PROFIL_DEPTH_MAX > 1 && profil_join_other_works())
		arg->info.features |= PROFIL_FEAT_PATHS;
	if (PROFIL_NOHZ_FULL)
		arg->info.features |= PROFIL_FEAT_NOHZ_FULL;
	arg->info.hz = HZ;
	arg->info.max_regions = PROFIL_REGIONS_MAX;
	arg->info.max_rate_hz = profil_rate_max();
	arg->info.max_nodes = PROFIL_NODES_MAX;
	arg->info.max_depth = PROFIL_DEPTH_MAX;
	return 0;
}

static int ioctl_set(struct file *file, union argument *arg)
{
	return profil_set(&arg->set);
}

static int ioctl_stop(struct file *file, union argument *arg)
{
	return profil_status_get(&arg->status, true);
}

static int ioctl_query(struct file *file, union argument *arg)
{
	return profil_status_get(&arg->status, false);
}

static int ioctl_observe(struct file *file, union argument *arg)
{
	return profil_observer_create(file, &arg->observe);
}

static int ioctl_join(struct file *file, union argument *arg)
{
	struct profil_observer *observer = READ_ONCE(file->private_data);

	return observer ? profil_join(observer, &arg->join) : -EINVAL;
}

static int ioctl_swap(struct file *file, union argument *arg)
{
	struct profil_observer *observer = READ_ONCE(file->private_data);

	return observer ? profil_observer_swap(observer, &arg->swap) : -EINVAL;
}

static int ioctl_unwind(struct file *file, union argument *arg)
{
	struct profil_observer *observer = READ_ONCE(file->private_data);

	return observer ? profil_unwind(observer, &arg->unwind) : -EINVAL;
}

static const struct {
	unsigned int cmd;
	size_t size;		/* of this kernel's struct */
	size_t min_size;	/* of the first published one */
	bool answers;
	int (*handler)(struct file *file, union argument *arg);
} ioctls[] = {
	{ PROFIL_IOC_INFO, sizeof(struct profil_info), 24, true, ioctl_info },
	{ PROFIL_IOC_SET, sizeof(struct profil_set), 56, false, ioctl_set },
	{ PROFIL_IOC_STOP, sizeof(struct profil_status), 112, true,
	  ioctl_stop },
	{ PROFIL_IOC_QUERY, sizeof(struct profil_status), 112, true,
	  ioctl_query },
	{ PROFIL_IOC_OBSERVE, sizeof(struct profil_observe), 32, true,
	  ioctl_observe },
	{ PROFIL_IOC_JOIN, sizeof(struct profil_join), 16, false, ioctl_join },
	{ PROFIL_IOC_SWAP, sizeof(struct profil_swap), 8, true, ioctl_swap },
	{ PROFIL_IOC_UNWIND, sizeof(struct profil_unwind), 40, true,
	  ioctl_unwind },
};

/* The size is part of an ioctl's number, but structs grow. */
static unsigned int without_size(unsigned int cmd)
{
	return cmd & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT);
}

static int put_answer(void __user *to, const union argument *arg,
		      size_t size, size_t user_size)
{
	if (copy_to_user(to, arg, min(size, user_size)))
		return -EFAULT;
	if (user_size > size && clear_user(to + size, user_size - size))
		return -EFAULT;
	return 0;
}

static long profil_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *from = (void __user *)arg;
	union argument argument;
	u32 user_size;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(ioctls); i++)
		if (without_size(ioctls[i].cmd) == without_size(cmd))
			break;
	if (i == ARRAY_SIZE(ioctls))
		return -ENOTTY;

	if (get_user(user_size, (u32 __user *)from))
		return -EFAULT;
	if (user_size < ioctls[i].min_size)
		return -EINVAL;
	if (user_size > PAGE_SIZE)
		return -E2BIG;
	memset(&argument, 0, sizeof(argument));
	ret = copy_struct_from_user(&argument, ioctls[i].size, from, user_size);
	if (ret)
		return ret;
	argument.size = user_size;

	/* Write once before the profile is stopped, so that EFAULT does not end it. */
	if (ioctls[i].answers)
		ret = put_answer(from, &argument, ioctls[i].size, user_size);
	if (ret)
		return ret;
	ret = ioctls[i].handler(file, &argument);
	if (!ret && ioctls[i].answers)
		ret = put_answer(from, &argument, ioctls[i].size, user_size);
	return ret;
}

/* The misc core leaves the device where an observer will be. */
static int profil_open(struct inode *inode, struct file *file)
{
	file->private_data = NULL;
	return nonseekable_open(inode, file);
}

static int profil_release(struct inode *inode, struct file *file)
{
	profil_observer_close(file);
	return 0;
}

static __poll_t profil_poll(struct file *file, struct poll_table_struct *wait)
{
	struct profil_observer *observer = READ_ONCE(file->private_data);

	return observer ? profil_observer_poll(observer, file, wait) : EPOLLERR;
}

static int profil_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct profil_observer *observer = READ_ONCE(file->private_data);

	return observer ? profil_observer_mmap(observer, vma) : -ENODEV;
}

static const struct file_operations profil_fops = {
	.owner = THIS_MODULE,
	.open = profil_open,
	.release = profil_release,
	.poll = profil_poll,
	.mmap = profil_mmap,
	.unlocked_ioctl = profil_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice profil_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "profil",
	.fops = &profil_fops,
	.mode = 0666,
};

int profil_chardev_init(void)
{
	return misc_register(&profil_device);
}

void profil_chardev_exit(void)
{
	misc_deregister(&profil_device);
}
