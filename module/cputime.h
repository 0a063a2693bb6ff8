/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time, exact for the calling thread: see cputime.c.
 */
#ifndef _PROFIL_CPUTIME_H
#define _PROFIL_CPUTIME_H

#include <linux/types.h>

struct signal_struct;
struct task_struct;

u64 profil_cputime_thread(const struct task_struct *task);
u64 profil_cputime_process(struct signal_struct *signal);

#endif /* _PROFIL_CPUTIME_H */
