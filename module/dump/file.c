// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of a dump: a new one, with the rights that the process had when it
 * asked for the dump.
 *
 * An old file of that name is never written to.  It is removed if the user owns
 * it alone (file_check_old()); else it stays and nothing is written.  A file
 * that can't be written whole is removed, or truncated if it can't be removed.
 * The process has exited, so no error is reported.
 */
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/stat.h>

#include "dump/dump.h"
#include "profil.h"

#define NAME_SIZE	64	/* "gmon." comm "." pid ".out" */
#define CREATE_TRIES	3

static void file_make_name(char *name, const char *comm, pid_t pid)
{
	char clean[TASK_COMM_LEN];
	int i;

	strscpy(clean, comm, sizeof(clean));
	for (i = 0; clean[i]; i++)
		if (clean[i] == '/' || iscntrl(clean[i]))
			clean[i] = '_';
	snprintf(name, NAME_SIZE, "gmon.%s.%d.out", clean, pid);
}

/* Asks security modules that judge by path first, as unlink(2) does. */
static int file_unlink(const struct path *dir, struct dentry *dentry)
{
	int ret = security_path_unlink(dir, dentry);

	return ret ?: vfs_unlink(mnt_idmap(dir->mnt), d_inode(dir->dentry),
				 dentry, NULL);
}

/* Removes the name, unless it is another file's by now. */
static int file_remove(const struct path *dir, const struct path *path)
{
	struct inode *inode = d_inode(dir->dentry);
	int ret;

	ret = mnt_want_write(dir->mnt);
	if (ret)
		return ret;
	inode_lock_nested(inode, I_MUTEX_PARENT);
	ret = -ESTALE;
	if (path->dentry->d_parent == dir->dentry && !d_unhashed(path->dentry))
		ret = file_unlink(dir, path->dentry);
	inode_unlock(inode);
	mnt_drop_write(dir->mnt);
	return ret;
}

/* Only a regular file, with one link, of the user, closed to others, may go. */
static int file_check_old(const struct path *dir, const struct path *path)
{
	struct kstat stat;
	int ret;

	if (path->mnt != dir->mnt)
		return -EBUSY;
	ret = vfs_getattr(path, &stat, STATX_BASIC_STATS, AT_STATX_SYNC_AS_STAT);
	if (ret)
		return ret;
	if (!S_ISREG(stat.mode) || stat.nlink != 1 || stat.mode & 077 ||
	    !uid_eq(stat.uid, current_fsuid()))
		return -EEXIST;
	return 0;
}

static int file_remove_old(const struct path *dir, const char *name)
{
	struct file *file;
	int ret;

	/* O_PATH, because to open a device or a FIFO has effects. */
	file = file_open_root(dir, name, O_PATH | O_NOFOLLOW, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = file_check_old(dir, &file->f_path);
	if (!ret)
		ret = file_remove(dir, &file->f_path);
	__fput_sync(file);
	return ret;
}

static struct file *file_create(const struct path *dir, const char *name)
{
	struct file *file;
	int tries, ret;

	for (tries = 0; tries < CREATE_TRIES; tries++) {
		file = file_open_root(dir, name, O_CREAT | O_EXCL | O_WRONLY |
				      O_NOFOLLOW | O_NONBLOCK | O_LARGEFILE,
				      0600);
		if (file != ERR_PTR(-EEXIST))
			return file;
		ret = file_remove_old(dir, name);
		if (ret && ret != -ENOENT)
			return ERR_PTR(ret);
	}
	return ERR_PTR(-EEXIST);
}

static int file_write_pages(struct file *file, const struct profil_pages *pages)
{
	size_t left = pages->size, offset = pages->offset, n;
	unsigned long i;
	loff_t pos = 0;
	ssize_t ret;

	for (i = 0; left; i++, left -= n, offset = 0) {
		n = min_t(size_t, left, PAGE_SIZE - offset);
		ret = kernel_write(file, page_address(pages->page[i]) +
				   offset, n, &pos);
		if (ret != n)
			return ret < 0 ? ret : -ENOSPC;
		cond_resched();
	}
	/* Some file systems only now find that there is no room. */
	if (file->f_op->flush)
		return file->f_op->flush(file, NULL);
	return 0;
}

/*
 * No process is killed to make room for the file in its cgroup.  An overlay has
 * the pages in the real inode.
 */
static int file_write_gently(struct file *file,
			     const struct profil_pages *pages)
{
	struct address_space *mapping =
		d_real_inode(file->f_path.dentry)->i_mapping;
	gfp_t gfp = mapping_gfp_mask(mapping);
	int ret;

	mapping_set_gfp_mask(mapping, gfp | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	ret = file_write_pages(file, pages);
	mapping_set_gfp_mask(mapping, gfp);
	return ret;
}

static int file_write_new(const struct path *dir, const char *name,
			  const struct profil_pages *pages)
{
	struct file *file = file_create(dir, name);
	struct path path;
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	path = file->f_path;
	path_get(&path);
	ret = file_write_gently(file, pages);
	/* A directory may forbid to remove what it allows to create. */
	if (ret)
		vfs_truncate(&path, 0);
	__fput_sync(file);
	if (ret)
		file_remove(dir, &path);
	path_put(&path);
	return ret;
}

/**
 * profil_file_write() - write gmon.COMM.PID.out
 * @dump: its cred has the rights, and the owner of the file
 * @pages: the content
 *
 * Context: a kernel thread, because looking up a name needs a root directory,
 * which an exiting task has no more; sleeps as long as the file system does.
 * Return: 0; else there is no new file, or an empty one.
 */
int profil_file_write(const struct profil_dump_file *dump,
		      const struct profil_pages *pages)
{
	const struct cred *old;
	char name[NAME_SIZE];
	int ret;

	file_make_name(name, dump->comm, dump->pid);
	old = override_creds(dump->cred);
	ret = file_write_new(&dump->dir, name, pages);
	revert_creds(old);
	return ret;
}
