// SPDX-License-Identifier: GPL-2.0-only
/*
 * The facts of a program: path, inode and addresses, taken in process context
 * at JOIN and exec, and shared with forked children.
 */
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "observe/observe.h"
#include "profil.h"

static void take_path(struct profil_image *about, struct file *exe, gfp_t gfp)
{
	char *buf = kmalloc(PATH_MAX, gfp);
	const char *path;
	size_t len;

	if (!buf)
		return;
	path = d_path(&exe->f_path, buf, PATH_MAX);
	if (!IS_ERR(path)) {
		len = strlen(path);
		if (len >= sizeof(about->path)) {
			about->flags |= PROFIL_IMAGE_F_PATH_CUT;
			path += len - sizeof(about->path) + 1;
		}
		strscpy(about->path, path, sizeof(about->path));
	}
	kfree(buf);
}

static void take_auxv(struct profil_image *about, const unsigned long *auxv)
{
	int i;

	for (i = 0; i + 1 < AT_VECTOR_SIZE && auxv[i]; i += 2) {
		if (auxv[i] == AT_PHDR)
			about->phdr = auxv[i + 1];
		else if (auxv[i] == AT_ENTRY)
			about->entry = auxv[i + 1];
		else if (auxv[i] == AT_BASE)
			about->base = auxv[i + 1];
	}
}

/**
 * profil_facts_create() - what is known of the program in an address space
 * @mm: with users
 * @exe: its executable, or NULL
 * @gfp: what the context allows
 *
 * Undone by profil_facts_put().
 *
 * Context: process, or the tracepoint of exec.
 * Return: the facts, or NULL without memory.
 */
struct profil_facts *profil_facts_create(struct mm_struct *mm,
					 struct file *exe, gfp_t gfp)
{
	struct profil_facts *facts = kzalloc(sizeof(*facts), gfp);

	if (!facts)
		return NULL;
	refcount_set(&facts->ref, 1);
	facts->about.start_code = mm->start_code;
	take_auxv(&facts->about, mm->saved_auxv);
	if (exe) {
		facts->about.dev = file_inode(exe)->i_sb->s_dev;
		facts->about.ino = file_inode(exe)->i_ino;
		take_path(&facts->about, exe, gfp);
	}
	return facts;
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
