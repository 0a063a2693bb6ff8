/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream abf08576afe3: by an idmap, where it was by a user namespace. */
#include <linux/fs.h>
#include <linux/mount.h>

#ifdef PROBE_NEW
struct mnt_idmap *probe(struct vfsmount *mnt)
{
	return mnt_idmap(mnt);
}
#else
int mnt_idmap;
#endif
