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

#include "profil.h"

#define HEADERS_MAX	128
#define NOTES_MAX	(64 * 1024)	/* bytes of a segment looked at */

/* What both classes of ELF have, in one form. */
struct segment {
	u32 type;
	u64 offset;
	u64 size;
};

static bool read_all(struct file *file, void *to, size_t size, u64 from)
{
	loff_t pos = from;

	if (from > LLONG_MAX - size)
		return false;
	return kernel_read(file, to, size, &pos) == size;
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

static bool segment_has_note(struct file *file, const struct segment *segment)
{
	size_t size = min_t(u64, segment->size, NOTES_MAX);
	bool found = false;
	char *notes;

	if (segment->type != PT_NOTE)
		return false;
	notes = kvmalloc(size, GFP_KERNEL);
	if (notes && read_all(file, notes, size, segment->offset))
		found = has_note(notes, size);
	kvfree(notes);
	return found;
}

static bool file_has_note(struct file *file)
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

	if (!read_all(file, &header, sizeof(header), 0) ||
	    memcmp(header.ident, ELFMAG, SELFMAG))
		return false;
	is64 = header.ident[EI_CLASS] == ELFCLASS64;
	pos = is64 ? header.e64.e_phoff : header.e32.e_phoff;
	nr = is64 ? header.e64.e_phnum : header.e32.e_phnum;
	size = is64 ? sizeof(entry.p64) : sizeof(entry.p32);

	for (i = 0; i < nr && i < HEADERS_MAX; i++, pos += size) {
		if (!read_all(file, &entry, size, pos))
			return false;
		segment.type = is64 ? entry.p64.p_type : entry.p32.p_type;
		segment.offset = is64 ? entry.p64.p_offset : entry.p32.p_offset;
		segment.size = is64 ? entry.p64.p_filesz : entry.p32.p_filesz;
		if (segment_has_note(file, &segment))
			return true;
	}
	return false;
}

/* Another may have been put in its place (prctl), opened in any way. */
static bool readable(const struct file *file)
{
	return file->f_mode & FMODE_READ && file->f_mode & FMODE_CAN_READ &&
	       file->f_op->read_iter && !file->f_op->read;
}

/**
 * profil_note_found() - has the calling process's executable the note?
 *
 * Context: process; may sleep.
 */
bool profil_note_found(void)
{
	struct file *file = profil_compat_exe_file(current->mm);
	bool found;

	if (!file)
		return false;
	found = readable(file) && file_has_note(file);
	fput(file);
	return found;
}
