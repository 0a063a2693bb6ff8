// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: which of the files that wait to be written are written now.
 *
 * A file system that never answers keeps a work for good, and works are few:
 * so a user has some of them at a time, and some fewer for one file system.
 * The others wait in line, and hold up nobody else.
 */
#include <linux/list.h>
#include <linux/mount.h>
#include <linux/spinlock.h>

#include "gmon.h"
#include "profil.h"

#define USER_MAX	32
#define PLACE_MAX	8	/* of one user, on one file system */

static DEFINE_SPINLOCK(turn_lock);
static LIST_HEAD(writing);
static LIST_HEAD(waiting);

static bool same_payer(const struct profil_gmon *a, const struct profil_gmon *b)
{
	return a->payer_ns == b->payer_ns && uid_eq(a->payer, b->payer);
}

static bool same_place(const struct profil_gmon *a, const struct profil_gmon *b)
{
	return a->dir.mnt->mnt_sb == b->dir.mnt->mnt_sb;
}

/* How many of the same user are written now, and of these in the same place. */
static int count_writing(const struct profil_gmon *gmon, int *place)
{
	const struct profil_gmon *other;
	int user = 0;

	lockdep_assert_held(&turn_lock);
	*place = 0;
	list_for_each_entry(other, &writing, turn) {
		if (!same_payer(gmon, other))
			continue;
		user++;
		*place += same_place(gmon, other);
	}
	return user;
}

static bool may_write(const struct profil_gmon *gmon)
{
	int place;

	return count_writing(gmon, &place) < USER_MAX && place < PLACE_MAX;
}

/* Who can have the turn that this one had: nobody else has more room now. */
static struct profil_gmon *find_next(const struct profil_gmon *gmon)
{
	struct profil_gmon *other;
	bool was_full;
	int place;

	was_full = count_writing(gmon, &place) == USER_MAX - 1;
	list_for_each_entry(other, &waiting, turn)
		if (same_payer(gmon, other) &&
		    (was_full || same_place(gmon, other)) && may_write(other))
			return other;
	return NULL;
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

	gmon->payer = profil_payer(gmon->cred, &gmon->payer_ns);
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
	struct profil_gmon *next = NULL;

	spin_lock(&turn_lock);
	if (gmon->writing) {
		gmon->writing = false;
		list_del_init(&gmon->turn);
		next = find_next(gmon);
		if (next)
			start(next);
	}
	spin_unlock(&turn_lock);
	return next;
}
