// SPDX-License-Identifier: GPL-2.0-only
/*
 * Payers: who answers for what a user keeps waiting: of works a few at a time,
 * while the others come again; and of errands, while the others wait in line.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "profil.h"

#define WORKS_MAX	16	/* of 256 or more of all payers */
#define RUN_MAX		4
#define LINE_MAX	32

/* Under payer_lock; users are told apart by their hash. */
static struct {
	struct list_head line;
	unsigned int nr;	/* that run, or wait in line */
} payers[PROFIL_PAYERS];

static atomic_t works[PROFIL_PAYERS];
static DEFINE_SPINLOCK(payer_lock);
static struct workqueue_struct *errand_wq;

/**
 * profil_payer() - the user, and the user namespace, that pays
 * @cred: whoever's
 * @ns: the namespace
 *
 * The ids of a user namespace are all those of whom it belongs to.  Root's are
 * containers: each is like a user.
 *
 * Context: any.
 */
kuid_t profil_payer(const struct cred *cred, const struct user_namespace **ns)
{
	const struct user_namespace *owned = cred->user_ns;

	*ns = &init_user_ns;
	if (owned == &init_user_ns)
		return cred->uid;
	while (owned->parent != &init_user_ns)
		owned = owned->parent;
	if (uid_eq(owned->owner, GLOBAL_ROOT_UID))
		*ns = owned;
	return owned->owner;
}

/* The same as a number below PROFIL_PAYERS, which others may share.  Context: any. */
u8 profil_payer_hash(const struct cred *cred)
{
	const struct user_namespace *ns;
	kuid_t uid = profil_payer(cred, &ns);

	return hash_64((uintptr_t)ns + __kuid_val(uid), PROFIL_PAYERS_BITS);
}

/**
 * profil_payer_enter() - begin what may wait in a work for a payer's process
 * @payer: whose
 *
 * For its cgroup, where memory is reclaimed, and above memory.high whoever
 * allocates sleeps for seconds; and for changes of its mappings to end.
 * Undone by profil_payer_leave().
 *
 * Context: any.
 * Return: false if so many do that it has to be tried again.
 */
bool profil_payer_enter(u8 payer)
{
	return atomic_add_unless(&works[payer], 1, WORKS_MAX);
}

/* The reverse.  Context: any. */
void profil_payer_leave(u8 payer)
{
	atomic_dec(&works[payer]);
}

/* Has one so many in line that no more should begin?  Context: process. */
bool profil_errand_is_much(u8 payer)
{
	return READ_ONCE(payers[payer].nr) >= RUN_MAX + LINE_MAX;
}

static void errand_work(struct work_struct *work)
{
	struct profil_errand *errand =
		container_of(work, struct profil_errand, work);
	u8 payer = errand->payer;
	struct profil_errand *next;

	errand->run(errand);
	spin_lock(&payer_lock);
	payers[payer].nr--;
	next = list_first_entry_or_null(&payers[payer].line,
					struct profil_errand, line);
	if (next)
		list_del(&next->line);
	spin_unlock(&payer_lock);
	if (next)
		queue_work(errand_wq, &next->work);
	/* profil_errand_exit() waits for the work. */
	module_put(THIS_MODULE);
}

/**
 * profil_errand_begin() - run what may wait as long as a user likes
 * @errand: with its payer and what to run, which may free it
 *
 * Context: process, with a profile in hand.
 */
void profil_errand_begin(struct profil_errand *errand)
{
	bool now;

	__module_get(THIS_MODULE);
	INIT_WORK(&errand->work, errand_work);
	spin_lock(&payer_lock);
	now = payers[errand->payer].nr++ < RUN_MAX;
	if (!now)
		list_add_tail(&errand->line, &payers[errand->payer].line);
	spin_unlock(&payer_lock);
	if (now)
		queue_work(errand_wq, &errand->work);
}

int profil_errand_init(void)
{
	int i;

	for (i = 0; i < PROFIL_PAYERS; i++)
		INIT_LIST_HEAD(&payers[i].line);
	errand_wq = alloc_workqueue("profil_errand", WQ_UNBOUND,
				    PROFIL_PAYERS * RUN_MAX);
	return errand_wq ? 0 : -ENOMEM;
}

/* Context: process; the last has put the module, or is about to return. */
void profil_errand_exit(void)
{
	destroy_workqueue(errand_wq);
}
