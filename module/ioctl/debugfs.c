// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/profil/profiles: one line for each profile.
 *
 * It has the pid, or the tid and "t", as the reader's namespace has them.  The
 * numbers of regions, of those on, and of accounted pages follow, then the books.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/seq_file.h>

#include "ioctl/ioctl.h"
#include "profil.h"

static struct dentry *directory;

static void debugfs_show_profile(struct profil_profile *profile, void *data)
{
	struct profil_status status = {};
	struct profil_books *books = &status.books;
	struct seq_file *seq = data;

	profil_status_snapshot(profile, &status, NULL, 0);
	seq_printf(seq, "%d%s %u %u %lu %llu %llu %llu %llu %llu %llu\n",
		   pid_vnr(profile->pid), profile->task ? "t" : "",
		   status.nr_regions, READ_ONCE(profile->nr_on),
		   READ_ONCE(profile->accounted), books->seen, books->binned,
		   books->outside, books->lost, books->saturated,
		   books->pending);
}

static int profiles_show(struct seq_file *seq, void *unused)
{
	seq_puts(seq, "pid regions on pages seen binned outside lost saturated pending\n");
	profil_profile_for_each(debugfs_show_profile, seq);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(profiles);

/* Errors are ignored, as debugfs wants it. */
void profil_debugfs_init(void)
{
	directory = debugfs_create_dir("profil", NULL);
	debugfs_create_file("profiles", 0400, directory, NULL, &profiles_fops);
}

void profil_debugfs_exit(void)
{
	debugfs_remove(directory);
}
