/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls of /dev/profil, and the table of profiles in debugfs.
 *
 * Context: a process that may sleep and fault; all but debugfs act on the
 * process that makes the call.
 * Locks: set.c takes mmap_lock to read the VMAs, and calls memory/ and profile/
 * with refresh_lock held.  A snapshot is taken under profile->lock.
 */
#ifndef _PROFIL_IOCTL_FOLDER_H
#define _PROFIL_IOCTL_FOLDER_H

#include <linux/types.h>
#include <profil/ioctl.h>

struct profil_profile;

/* set.c: a profile from what a program asks for */

int profil_set(const struct profil_set *set);

/* query.c: what a program is told of its profile */

u64 profil_status_cpu_ns(const struct profil_profile *profile);
int profil_status_get(struct profil_status *status, bool stop);
void profil_status_snapshot(struct profil_profile *profile,
			    struct profil_status *status,
			    struct profil_region_status *regions,
			    u32 nr_regions);

/* debugfs.c: the table of profiles, for root */

void profil_debugfs_init(void);
void profil_debugfs_exit(void);

/* chardev.c */

int profil_chardev_init(void);
void profil_chardev_exit(void);

#endif /* _PROFIL_IOCTL_FOLDER_H */
