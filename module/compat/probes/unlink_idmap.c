/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream 6521f8917082: vfs_unlink() is told of the mount's owners. */
#include <linux/fs.h>

int probe(struct inode *dir, struct dentry *dentry)
{
#ifdef PROBE_NEW
	return vfs_unlink(NULL, dir, dentry, NULL);
#else
	return vfs_unlink(dir, dentry, NULL);
#endif
}
