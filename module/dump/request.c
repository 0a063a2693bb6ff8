// SPDX-License-Identifier: GPL-2.0-only
/*
 * What PROFIL_IOC_SET says of a file: read, checked, and made a gmon of.
 */
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "dump/dump.h"
#include "profil.h"

bool profil_dump_allowed = true;
module_param_named(dump, profil_dump_allowed, bool, 0444);
MODULE_PARM_DESC(dump, "let programs ask for a file at their end (default y)");

static int get_directory(int fd, struct path *dir)
{
	struct file *file;
	int ret = 0;

	if (fd == -1) {
		get_fs_pwd(current->fs, dir);
		return 0;
	}
	file = fget_raw(fd);
	if (!file)
		return -EBADF;
	if (d_can_lookup(file->f_path.dentry)) {
		*dir = file->f_path;
		path_get(dir);
	} else {
		ret = -ENOTDIR;
	}
	fput(file);
	return ret;
}

static struct profil_gmon *create(const struct profil_dump *dump)
{
	struct profil_gmon *gmon;
	struct path dir;
	int ret;

	ret = get_directory(dump->dirfd, &dir);
	if (ret)
		return ERR_PTR(ret);
	gmon = profil_gmon_create(current, &dir, current_cred(),
				  task_active_pid_ns(current),
				  GFP_KERNEL_ACCOUNT);
	path_put(&dir);
	if (!gmon)
		return ERR_PTR(-ENOMEM);
	gmon->addr = dump->addr;
	gmon->size = dump->size;
	ret = profil_dump_reserve();
	if (ret)
		goto err_put;
	gmon->reserved = true;
	ret = profil_hook_get();
	if (ret)
		goto err_put;
	gmon->hooked = true;
	return gmon;

err_put:
	profil_gmon_put(gmon);
	return ERR_PTR(ret);
}

/* Holes may be mapped later; at the end they leave no file. */
static int dump_check_private(u64 addr, u64 size)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int ret = 0;

	addr = untagged_addr(addr);
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	for (vma = find_vma(mm, addr); vma && vma->vm_start < addr + size;
	     vma = find_vma(mm, vma->vm_end)) {
		if (!profil_capture_may(vma)) {
			ret = -EOPNOTSUPP;
			break;
		}
	}
	mmap_read_unlock(mm);
	return ret;
}

static int dump_check(const struct profil_dump *dump)
{
	u32 unused;
	int ret;

	if (!dump->size || dump->size > PROFIL_DUMP_SIZE_MAX ||
	    dump->head > dump->size || dump->len % sizeof(u32))
		return -EINVAL;
	if (!access_ok(u64_to_user_ptr(dump->addr), dump->size) ||
	    copy_from_user(&unused, u64_to_user_ptr(dump->len), sizeof(unused)))
		return -EFAULT;
	ret = dump_check_private(dump->addr, dump->size);
	return ret ?: dump_check_private(dump->len, sizeof(unused));
}

/**
 * profil_dump_read() - read and check what a PROFIL_IOC_SET says of a file
 * @dump: filled in
 * @from: the caller's
 *
 * Context: the caller's process; may sleep and fault.
 * Return: 0, -EINVAL, -E2BIG, -EFAULT, -EINTR; -EOPNOTSUPP if the administrator
 * allows no dumps, or if the range is not private memory.
 */
int profil_dump_read(struct profil_dump *dump, const void __user *from)
{
	u32 size;
	int ret;

	if (!profil_dump_allowed)
		return -EOPNOTSUPP;
	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	if (size < sizeof(*dump))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(dump, sizeof(*dump), from, size);
	if (ret)
		return ret;

	ret = dump_check(dump);
	/* That was as the program may access them; mappings have no tags. */
	dump->addr = untagged_addr(dump->addr);
	dump->len = untagged_addr(dump->len);
	return ret;
}

/* NULL if there is none, or none any more. */
static struct profil_gmon *join(const struct profil_dump *dump)
{
	struct profil_gmon *gmon = profil_gmon_get();
	int ret;

	if (!gmon)
		return NULL;
	/* What a call asked for that fails must not become this one's. */
	ret = wait_for_completion_interruptible(&gmon->tried) ? -EINTR : 0;
	if (!ret && !READ_ONCE(gmon->wanted))
		ret = -ENOENT;
	if (!ret && (gmon->addr != dump->addr || gmon->size != dump->size))
		ret = -EALREADY;
	if (!ret)
		return gmon;
	profil_gmon_put(gmon);
	return ret == -ENOENT ? NULL : ERR_PTR(ret);
}

/**
 * profil_dump_begin() - the calling process's gmon, or a new one
 * @dump: checked
 *
 * Until profil_gmon_end() a new one is only reserved, and others wait.
 *
 * Context: the caller's process; sleeps.
 * Return: a reference; -EALREADY, -EBADF, -ENOTDIR, -ENOMEM, -ENFILE, -EINTR,
 * or what profil_hook_get() says.
 */
struct profil_gmon *profil_dump_begin(const struct profil_dump *dump)
{
	struct profil_gmon *gmon;

	do {
		gmon = join(dump);
		if (gmon)
			return gmon;
		gmon = create(dump);
		if (IS_ERR(gmon))
			return gmon;
	} while (!profil_gmon_publish(gmon));
	return gmon;
}
