/* SPDX-License-Identifier: GPL-2.0-only */
/* Upstream 0ede61d8589c: get_file_rcu() takes the address of the pointer. */
#include <linux/fs.h>

#ifdef PROBE_NEW
struct file *probe(struct file __rcu **file)
#else
bool probe(struct file *file)
#endif
{
	return get_file_rcu(file);
}
