// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiling note: does the executable say that it was built to be
 * profiled?  (OpenBSD: only such a one may have its file written.)
 *
 * All that is read here is what any user may write: numbers are bounded
 * before they are used, and what makes no sense is no note.
 */
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "gmon.h"
#include "profil.h"

#define HEADERS_MAX	128
#define NOTES_MAX	(64 * 1024)	/* bytes of a segment looked at */

/* What both classes of ELF have, in one form. */
struct segment {
	u32 type;
	u64 offset;
	u64 size;
};

/* -EPERM, as from all of them, means that there is no note. */
static int read_all(struct file *file, void *to, size_t size, u64 from)
{
	loff_t pos = from;
	ssize_t ret;

	if (from > LLONG_MAX - size)
		return -EPERM;
	ret = kernel_read(file, to, size, &pos);
	if (ret < 0)
		return ret;
	return ret == size ? 0 : -EPERM;
}

static bool has_note(const char *notes, size_t size)
{
	const struct elf32_note *note;	/* the same in both classes */
	u64 pos = 0, name, end;

	while (pos + sizeof(*note) <= size) {
		note = (const struct elf32_note *)(notes + pos);
		name = pos + sizeof(*note);
		end = name + ALIGN((u64)note->n_namesz, 4) +
		      ALIGN((u64)note->n_descsz, 4);
		if (end > size)
			return false;
		if (note->n_type == PROFIL_NOTE_TYPE &&
		    note->n_namesz == sizeof(PROFIL_NOTE_NAME) &&
		    !memcmp(notes + name, PROFIL_NOTE_NAME,
			    sizeof(PROFIL_NOTE_NAME)))
			return true;
		pos = end;
	}
	return false;
}

static int check_segment(struct file *file, const struct segment *segment)
{
	size_t size = min_t(u64, segment->size, NOTES_MAX);
	char *notes;
	int ret;

	if (segment->type != PT_NOTE)
		return -EPERM;
	notes = kvmalloc(size, GFP_KERNEL);
	if (!notes)
		return -ENOMEM;
	ret = read_all(file, notes, size, segment->offset);
	if (!ret && !has_note(notes, size))
		ret = -EPERM;
	kvfree(notes);
	return ret;
}

static int check_file(struct file *file)
{
	union {
		unsigned char ident[EI_NIDENT];
		struct elf32_hdr e32;
		struct elf64_hdr e64;
	} header;
	union {
		struct elf32_phdr p32;
		struct elf64_phdr p64;
	} entry;
	struct segment segment;
	u64 pos;
	u32 i, nr, size;
	bool is64;
	int ret;

	ret = read_all(file, &header, sizeof(header), 0);
	if (ret)
		return ret;
	if (memcmp(header.ident, ELFMAG, SELFMAG))
		return -EPERM;
	is64 = header.ident[EI_CLASS] == ELFCLASS64;
	pos = is64 ? header.e64.e_phoff : header.e32.e_phoff;
	nr = is64 ? header.e64.e_phnum : header.e32.e_phnum;
	size = is64 ? sizeof(entry.p64) : sizeof(entry.p32);

	for (i = 0; i < nr && i < HEADERS_MAX; i++, pos += size) {
		ret = read_all(file, &entry, size, pos);
		if (ret)
			return ret;
		segment.type = is64 ? entry.p64.p_type : entry.p32.p_type;
		segment.offset = is64 ? entry.p64.p_offset : entry.p32.p_offset;
		segment.size = is64 ? entry.p64.p_filesz : entry.p32.p_filesz;
		ret = check_segment(file, &segment);
		if (ret != -EPERM)
			return ret;
	}
	return -EPERM;
}

/* Another may have been put in its place (prctl), opened in any way. */
static bool readable(const struct file *file)
{
	return file->f_mode & FMODE_READ && file->f_mode & FMODE_CAN_READ &&
	       file->f_op->read_iter && !file->f_op->read;
}

/**
 * profil_note_check() - has the calling process's executable the note?
 *
 * Context: process; may sleep.
 * Return: 0, -EPERM if it has not, -ENOMEM, or what reading it says.
 */
int profil_note_check(void)
{
	struct file *file = profil_compat_exe_file(current->mm);
	int ret;

	if (!file)
		return -EPERM;
	ret = readable(file) ? check_file(file) : -EPERM;
	fput(file);
	return ret;
}
