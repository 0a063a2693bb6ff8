// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: which of the files that wait to be written are written now.
 *
 * A file system that never answers keeps a work for good, and works are few:
 * so a user has some of them at a time, and some fewer for one file system.
 * The others wait in line, and hold up nobody else.
 */
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/mount.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "gmon.h"
#include "profil.h"

#define USER_MAX	32
#define PLACE_MAX	8	/* of one user, on one file system */

static DEFINE_SPINLOCK(turn_lock);
static LIST_HEAD(writing);
static LIST_HEAD(waiting);

/*
 * The ids of a user namespace are all those of whom it belongs to.  Root's are
 * containers: each is like a user.
 */
static void find_payer(struct profil_gmon *gmon)
{
	const struct user_namespace *ns = gmon->cred->user_ns;

	gmon->payer_ns = &init_user_ns;
	gmon->payer = gmon->cred->uid;
	if (ns == &init_user_ns)
		return;
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	gmon->payer = ns->owner;
	if (uid_eq(ns->owner, GLOBAL_ROOT_UID))
		gmon->payer_ns = ns;
}

static bool same_payer(const struct profil_gmon *a, const struct profil_gmon *b)
{
	return a->payer_ns == b->payer_ns && uid_eq(a->payer, b->payer);
}

static bool may_write(const struct profil_gmon *gmon)
{
	const struct profil_gmon *other;
	int user = 0, place = 0;

	lockdep_assert_held(&turn_lock);
	list_for_each_entry(other, &writing, turn) {
		if (!same_payer(gmon, other))
			continue;
		user++;
		if (other->dir.mnt->mnt_sb == gmon->dir.mnt->mnt_sb)
			place++;
	}
	return user < USER_MAX && place < PLACE_MAX;
}

static void start(struct profil_gmon *gmon)
{
	lockdep_assert_held(&turn_lock);
	gmon->writing = true;
	list_move_tail(&gmon->turn, &writing);
}

/**
 * profil_turn_take() - stand in line to be written
 * @gmon: withdrawn, and to be written
 *
 * Context: any but interrupts.
 * Return: true if it is its turn; else profil_turn_pass() says when it is.
 */
bool profil_turn_take(struct profil_gmon *gmon)
{
	bool mine;

	find_payer(gmon);
	spin_lock(&turn_lock);
	mine = may_write(gmon);
	if (mine)
		start(gmon);
	else
		list_add_tail(&gmon->turn, &waiting);
	spin_unlock(&turn_lock);
	return mine;
}

/**
 * profil_turn_leave() - wait no longer
 * @gmon: that stood in line
 *
 * Context: any but interrupts.
 * Return: true if it still waited; false if it had its turn.
 */
bool profil_turn_leave(struct profil_gmon *gmon)
{
	bool waited;

	spin_lock(&turn_lock);
	waited = !gmon->writing && !list_empty(&gmon->turn);
	if (waited)
		list_del_init(&gmon->turn);
	spin_unlock(&turn_lock);
	return waited;
}

/**
 * profil_turn_pass() - have done, if it was one's turn
 * @gmon: that is written, or is not to be
 *
 * Context: any but interrupts.
 * Return: whose turn it is now, or NULL.
 */
struct profil_gmon *profil_turn_pass(struct profil_gmon *gmon)
{
	struct profil_gmon *next = NULL, *other;

	spin_lock(&turn_lock);
	if (gmon->writing) {
		gmon->writing = false;
		list_del_init(&gmon->turn);
		/* Nobody else has more room now than before. */
		list_for_each_entry(other, &waiting, turn) {
			if (!same_payer(gmon, other) || !may_write(other))
				continue;
			next = other;
			start(next);
			break;
		}
	}
	spin_unlock(&turn_lock);
	return next;
}
