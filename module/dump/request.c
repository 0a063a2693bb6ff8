// SPDX-License-Identifier: GPL-2.0-only
/*
 * What PROFIL_IOC_SET says of a dump: read it, check it, create the dump.
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

static int request_get_dir(int fd, struct path *dir)
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

static struct profil_dump_file *
request_create(const struct profil_dump *request)
{
	struct profil_dump_file *dump;
	struct path dir;
	int ret;

	ret = request_get_dir(request->dirfd, &dir);
	if (ret)
		return ERR_PTR(ret);
	ret = profil_hook_get(PROFIL_HOOKS, true);
	if (ret)
		goto out;
	dump = profil_dump_create(current, &dir, current_cred(),
				  task_active_pid_ns(current),
				  GFP_KERNEL_ACCOUNT);
	if (!dump) {
		profil_hook_put(PROFIL_HOOKS);
		ret = -ENOMEM;
		goto out;
	}
	dump->addr = request->addr;
	dump->size = request->size;
	ret = profil_dump_make_spare();
	if (ret)
		profil_dump_put(dump);
out:
	path_put(&dir);
	return ret ? ERR_PTR(ret) : dump;
}

/* Holes are allowed, since they may be mapped before the exit. */
static int request_check_range(u64 addr, u64 size)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int ret = 0;

	addr = untagged_addr(addr);
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	for (vma = find_vma(mm, addr); vma && vma->vm_start < addr + size;
	     vma = find_vma(mm, vma->vm_end)) {
		if (!profil_pages_are_private(vma)) {
			ret = -EOPNOTSUPP;
			break;
		}
	}
	mmap_read_unlock(mm);
	return ret;
}

static int request_check(const struct profil_dump *request)
{
	u32 unused;
	int ret;

	if (!request->size || request->size > PROFIL_DUMP_SIZE_MAX ||
	    request->head > request->size || request->len % sizeof(u32))
		return -EINVAL;
	if (!access_ok(u64_to_user_ptr(request->addr), request->size) ||
	    copy_from_user(&unused, u64_to_user_ptr(request->len),
			   sizeof(unused)))
		return -EFAULT;
	ret = request_check_range(request->addr, request->size);
	return ret ?: request_check_range(request->len, sizeof(unused));
}

/**
 * profil_request_read() - read and check a request for a dump
 * @request: filled in
 * @from: the struct of the caller
 *
 * Context: the caller's process; may sleep and fault.
 * Return: 0, -EINVAL, -E2BIG, -EFAULT, -EINTR; -EOPNOTSUPP if the administrator
 * allows no dumps, or if the range is not private memory.
 */
int profil_request_read(struct profil_dump *request, const void __user *from)
{
	u32 size;
	int ret;

	if (!profil_dump_allowed)
		return -EOPNOTSUPP;
	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	if (size < sizeof(*request))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(request, sizeof(*request), from, size);
	if (ret)
		return ret;

	ret = request_check(request);
	/* Checked with the tags of the program's pointers; mappings have no tags. */
	request->addr = untagged_addr(request->addr);
	request->len = untagged_addr(request->len);
	return ret;
}

/* Returns NULL if the process has no dump. */
static struct profil_dump_file *request_join(const struct profil_dump *request)
{
	struct profil_dump_file *dump = profil_dump_get();
	int ret;

	if (!dump)
		return NULL;
	/* A call that fails must not leave its dump to this one. */
	ret = wait_for_completion_interruptible(&dump->tried) ? -EINTR : 0;
	if (!ret && !READ_ONCE(dump->wanted))
		ret = -ENOENT;
	if (!ret && (dump->addr != request->addr ||
		     dump->size != request->size))
		ret = -EALREADY;
	if (!ret)
		return dump;
	profil_dump_put(dump);
	return ret == -ENOENT ? NULL : ERR_PTR(ret);
}

/**
 * profil_request_begin() - get or create the dump of the calling process
 * @request: checked
 *
 * Other calls of the process wait for profil_dump_end() of a new one.
 *
 * Context: the caller's process; sleeps.
 * Return: a reference; -EALREADY, -EBADF, -ENOTDIR, -ENOMEM, -ENFILE, -EINTR,
 * or an error of profil_hook_get().
 */
struct profil_dump_file *
profil_request_begin(const struct profil_dump *request)
{
	struct profil_dump_file *dump;

	do {
		dump = request_join(request);
		if (dump)
			return dump;
		dump = request_create(request);
		if (IS_ERR(dump))
			return dump;
	} while (!profil_dump_publish(dump));
	return dump;
}
