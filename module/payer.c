// SPDX-License-Identifier: GPL-2.0-only
/*
 * Payers: a limit for each user of what may block in the module at a time.
 *
 * A worker blocks on what a user controls: on a cgroup above its limit, on an
 * mm that waits for a FUSE server.  With a limit for each user, the work items
 * of other users still find a worker.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "profil.h"

/* All users together cannot fill a workqueue. */
#define WORKERS	4
static_assert(WORKERS * PROFIL_PAYERS <= WQ_MAX_ACTIVE);

static const int limits[] = {
	[PROFIL_WAIT_WORKER] = WORKERS,
	[PROFIL_WAIT_MM_END] = WORKERS,
	[PROFIL_WAIT_DUMP] = 32,
};

/* Users are told apart by their hash. */
static atomic_t waiting[ARRAY_SIZE(limits)][PROFIL_PAYERS];

/**
 * profil_payer_hash() - the user that pays, as a number below PROFIL_PAYERS
 * @cred: of the process
 *
 * The ids of a user namespace are those of the user that it belongs to.  Those
 * that belong to root are containers, and each counts as a user.
 *
 * Context: any.
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
 * profil_payer_enter() - begin what may block
 * @payer: the user that it blocks for
 * @what: the limit that it counts against
 *
 * Undone by profil_payer_leave().
 *
 * Context: any.
 * Return: false if the user has so many already that it must be tried again.
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
