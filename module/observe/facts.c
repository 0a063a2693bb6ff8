// SPDX-License-Identifier: GPL-2.0-only
/*
 * The facts of a program: path, inode and addresses, taken in process context
 * at JOIN and exec, and shared with forked children.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "observe/observe.h"
#include "profil.h"

#define SHORT_PATH	128	/* taken without an allocation */

/* The path, without its beginning if it is long; "" if it is not known. */
static const char *cut_path(const char *path, u32 *flags)
{
	size_t len;

	if (IS_ERR(path))
		return "";
	len = strlen(path);
	if (len < PROFIL_PATH_SIZE)
		return path;
	*flags |= PROFIL_IMAGE_F_PATH_CUT;
	return path + len - PROFIL_PATH_SIZE + 1;
}

/* With room for a path.  Undone by profil_facts_put(). */
static struct profil_facts *facts_alloc(struct profil_observer *observer,
					const char *path, gfp_t gfp)
{
	size_t used = offsetof(struct profil_image, path) + strlen(path) + 1;
	struct mem_cgroup *old = set_active_memcg(observer->memcg);
	struct profil_facts *facts;

	facts = kzalloc(offsetof(struct profil_facts, about) + used,
			gfp | __GFP_ACCOUNT);
	set_active_memcg(old);
	if (!facts)
		return NULL;
	refcount_set(&facts->ref, 1);
	facts->used = used;
	strcpy(facts->about.path, path);
	return facts;
}

static void take_auxv(struct profil_image *about, const unsigned long *auxv)
{
	/* The first key is small, and its value in a 32-bit vector is not 0. */
	bool narrow = upper_32_bits(auxv[0]);
	const u32 *words = (const u32 *)auxv;
	int i, left = 3;
	u64 value;

	/* Most of a vector comes behind these three. */
	for (i = 0; left && i + 1 < AT_VECTOR_SIZE; i += 2) {
		value = narrow ? words[i + 1] : auxv[i + 1];
		left--;
		switch (narrow ? words[i] : auxv[i]) {
		case AT_PHDR:
			about->phdr = value;
			break;
		case AT_ENTRY:
			about->entry = value;
			break;
		case AT_BASE:
			about->base = value;
			break;
		case AT_NULL:
			return;
		default:
			left++;
		}
	}
}

/**
 * profil_facts_create() - what is known of the program in an address space
 * @observer: its cgroup pays, and not that of the process
 * @mm: with users
 * @exe: its executable, or NULL
 * @gfp: what the context allows
 *
 * Undone by profil_facts_put().
 *
 * Context: process, or the tracepoint of exec.
 * Return: the facts, or NULL without memory.
 */
struct profil_facts *profil_facts_create(struct profil_observer *observer,
					 struct mm_struct *mm,
					 struct file *exe, gfp_t gfp)
{
	char shorter[SHORT_PATH], *longer = NULL;
	const char *path = "";
	struct profil_facts *facts;
	u32 flags = 0;

	if (exe)
		path = d_path(&exe->f_path, shorter, sizeof(shorter));
	if (path == ERR_PTR(-ENAMETOOLONG)) {
		longer = kmalloc(PATH_MAX, gfp);
		if (longer)
			path = d_path(&exe->f_path, longer, PATH_MAX);
		else
			flags = PROFIL_IMAGE_F_NO_MEMORY;
	}
	facts = facts_alloc(observer, cut_path(path, &flags), gfp);
	kfree(longer);
	if (!facts)
		return NULL;
	facts->about.flags = flags;
	facts->about.start_code = mm->start_code;
	take_auxv(&facts->about, mm->saved_auxv);
	if (exe) {
		facts->about.dev = file_inode(exe)->i_sb->s_dev;
		facts->about.ino = file_inode(exe)->i_ino;
	}
	return facts;
}

/* Those of a program that runs.  Context: process; sleeps. */
struct profil_facts *profil_facts_of(struct profil_observer *observer,
				     struct mm_struct *mm)
{
	struct file *exe = profil_compat_exe_file(mm);
	struct profil_facts *facts;

	facts = profil_facts_create(observer, mm, exe, GFP_KERNEL);
	if (exe)
		fput(exe);
	return facts;
}

/* Were they taken before the addresses were known?  Context: any. */
bool profil_facts_are_old(const struct profil_facts *facts,
			  const struct mm_struct *mm)
{
	struct profil_image now = { 0 };

	if (facts->about.entry)
		return false;
	take_auxv(&now, mm->saved_auxv);
	return now.entry;
}

/* NULL if the last reference is gone.  Context: inside an RCU read section. */
struct profil_facts *profil_facts_get(struct profil_facts *facts)
{
	return facts && refcount_inc_not_zero(&facts->ref) ? facts : NULL;
}

/* Context: any. */
void profil_facts_put(struct profil_facts *facts)
{
	if (facts && refcount_dec_and_test(&facts->ref))
		kfree_rcu(facts, rcu);
}
