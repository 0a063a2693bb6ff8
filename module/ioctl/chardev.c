// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/profil: the table of ioctls, and the copying of their structs.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
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

static int ioctl_info(struct profil_info *info)
{
	info->abi_version = PROFIL_ABI_VERSION;
	info->features = PROFIL_FEAT_WIDTH_2 | PROFIL_FEAT_WIDTH_4 |
			 PROFIL_FEAT_WIDTH_8 | PROFIL_FEAT_REGIONS |
			 PROFIL_FEAT_OVERFLOW | PROFIL_FEAT_THREAD |
			 PROFIL_FEAT_USER_ONLY | PROFIL_FEAT_RATE |
			 PROFIL_FEAT_OBSERVE;
	if (profil_dump_allowed)
		info->features |= PROFIL_FEAT_DUMP;
	if (profil_join_other_works())
		info->features |= PROFIL_FEAT_JOIN_OTHER;
	if (PROFIL_DEPTH_MAX > 1 && profil_join_other_works())
		info->features |= PROFIL_FEAT_PATHS;
	if (PROFIL_NOHZ_FULL)
		info->features |= PROFIL_FEAT_NOHZ_FULL;
	info->hz = HZ;
	info->max_regions = PROFIL_REGIONS_MAX;
	info->max_rate_hz = profil_rate_max();
	info->max_nodes = PROFIL_NODES_MAX;
	info->max_depth = PROFIL_DEPTH_MAX;
	return 0;
}

static int ioctl_observer(struct profil_observer *observer, unsigned int cmd,
			  union argument *arg)
{
	if (!observer)
		return -EINVAL;
	switch (cmd) {
	case PROFIL_IOC_JOIN:
		return profil_join(observer, &arg->join);
	case PROFIL_IOC_SWAP:
		return profil_observer_swap(observer, &arg->swap);
	default:
		return profil_unwind(observer, &arg->unwind);
	}
}

static int ioctl_call(struct file *file, unsigned int cmd, union argument *arg)
{
	switch (cmd) {
	case PROFIL_IOC_INFO:
		return ioctl_info(&arg->info);
	case PROFIL_IOC_SET:
		return profil_set(&arg->set);
	case PROFIL_IOC_STOP:
		return profil_status_get(&arg->status, true);
	case PROFIL_IOC_QUERY:
		return profil_status_get(&arg->status, false);
	case PROFIL_IOC_OBSERVE:
		return profil_observer_create(file, &arg->observe);
	default:
		return ioctl_observer(READ_ONCE(file->private_data), cmd, arg);
	}
}

static const struct {
	unsigned int cmd;
	size_t min_size;	/* of the first published struct */
} ioctls[] = {
	{ PROFIL_IOC_INFO, 24 },
	{ PROFIL_IOC_SET, 56 },
	{ PROFIL_IOC_STOP, 112 },
	{ PROFIL_IOC_QUERY, 112 },
	{ PROFIL_IOC_OBSERVE, 32 },
	{ PROFIL_IOC_JOIN, 16 },
	{ PROFIL_IOC_SWAP, 8 },
	{ PROFIL_IOC_UNWIND, 40 },
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
	bool answers;
	size_t size;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(ioctls); i++)
		if (without_size(ioctls[i].cmd) == without_size(cmd))
			break;
	if (i == ARRAY_SIZE(ioctls))
		return -ENOTTY;
	/* From here on with the size of this kernel's struct. */
	cmd = ioctls[i].cmd;
	size = _IOC_SIZE(cmd);
	answers = _IOC_DIR(cmd) & _IOC_READ;

	if (get_user(user_size, (u32 __user *)from))
		return -EFAULT;
	if (user_size < ioctls[i].min_size)
		return -EINVAL;
	if (user_size > PAGE_SIZE)
		return -E2BIG;
	memset(&argument, 0, sizeof(argument));
	ret = copy_struct_from_user(&argument, size, from, user_size);
	if (ret)
		return ret;
	argument.size = user_size;

	/* Write once before the profile is stopped, so that EFAULT does not end it. */
	if (answers)
		ret = put_answer(from, &argument, size, user_size);
	if (!ret)
		ret = ioctl_call(file, cmd, &argument);
	if (!ret && answers)
		ret = put_answer(from, &argument, size, user_size);
	return ret;
}

/* The misc core leaves the device where an observer will be. */
static int profil_open(struct inode *inode, struct file *file)
{
	file->private_data = NULL;
	return nonseekable_open(inode, file);
}

static const struct file_operations profil_fops = {
	.owner = THIS_MODULE,
	.open = profil_open,
	.release = profil_observer_close,
	.poll = profil_observer_poll,
	.mmap = profil_observer_mmap,
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
