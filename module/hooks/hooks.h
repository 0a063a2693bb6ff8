/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hooks: the kernel calls the module at each tick, fork, exec and exit.
 *
 * They are in while some profile or dump has a use of them (hooks.c).
 *
 * Contexts: tick.c runs in hard interrupt; task.c in a tracepoint of the
 * current task, which must not sleep; arm and disarm in a process or a worker.
 * Locks: a tick takes profile->lock and no other.  A tracepoint takes spinlocks
 * alone: profil_table_lock, those of dump/, and profile->lock.  Arm and disarm are
 * called with the mutex of their set held.
 */
#ifndef _PROFIL_HOOKS_H
#define _PROFIL_HOOKS_H

struct profil_profile;
struct task_struct;

/* tick.c: from a timer interrupt to a thread and its pc */

int profil_tick_init(void);
void profil_tick_exit(void);
int profil_tick_arm(void);
int profil_tick_disarm(void);

/* task.c: fork, exec and exit */

int profil_task_arm(void);
int profil_task_disarm(void);

/* nohz.c: the tick of a CPU that would stop it */

void profil_nohz_keep(struct task_struct *task);
void profil_nohz_keep_all(const struct profil_profile *profile);
void profil_nohz_release(struct task_struct *task);
void profil_nohz_release_all(void);

#endif /* _PROFIL_HOOKS_H */
