// SPDX-License-Identifier: GPL-2.0-only
/*
 * A limit for each user of the work items that block at a time.
 *
 * A worker blocks on a cgroup above its limit, or on an mm that waits for a FUSE
 * server.  A user controls both, so the limit leaves workers for other users.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "profil.h"

/* All users together can't fill a workqueue. */
#define WORKERS	4
static_assert(WORKERS * PROFIL_PAYERS <= WQ_MAX_ACTIVE);

static const int limits[] = {
	[PROFIL_WAIT_WORKER] = WORKERS,
	[PROFIL_WAIT_MM_END] = WORKERS,
	[PROFIL_WAIT_DUMP] = 32,
};

/* Two users with one hash share the limit. */
static atomic_t waiting[ARRAY_SIZE(limits)][PROFIL_PAYERS];

/**
 * profil_payer_hash() - hash the user of a process
 * @cred: of the process
 *
 * A user namespace counts as the user that owns it.  If root owns it, it is a
 * container and counts as a user of its own.
 *
 * Context: any.
 * Return: a number below PROFIL_PAYERS.
 */
u8 profil_payer_hash(const struct cred *cred)
{
	const struct user_namespace *owned = cred->user_ns, *ns = &init_user_ns;
	kuid_t uid = cred->uid;

	if (owned != &init_user_ns) {
		while (owned->parent != &init_user_ns)
			owned = owned->parent;
		uid = owned->owner;
		if (uid_eq(uid, GLOBAL_ROOT_UID))
			ns = owned;
	}
	return hash_64((uintptr_t)ns + __kuid_val(uid), PROFIL_PAYERS_BITS);
}

/**
 * profil_payer_enter() - count a work item that may block
 * @payer: profil_payer_hash()
 * @what: the limit that it counts against
 *
 * Undone by profil_payer_leave().
 *
 * Context: any.
 * Return: false if the limit is reached; the caller tries again later.
 */
bool profil_payer_enter(u8 payer, enum profil_wait what)
{
	return atomic_add_unless(&waiting[what][payer], 1, limits[what]);
}

/* Context: any. */
void profil_payer_leave(u8 payer, enum profil_wait what)
{
	atomic_dec(&waiting[what][payer]);
}

/* Would profil_payer_enter() return false?  Context: any. */
bool profil_payer_is_full(u8 payer, enum profil_wait what)
{
	return atomic_read(&waiting[what][payer]) == limits[what];
}
