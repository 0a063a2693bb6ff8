// SPDX-License-Identifier: MIT
/*
 * Program headers, read without libelf: they are few, small and the first that
 * is needed of each object.  All in them is another's, and may be wrong.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elffile.h"
#include "util.h"

#define PHDRS_MAX	256
#define NOTES_MAX	4096
#define PAGE		4096u

/* Where the bytes come from: the object, or a process's memory. */
struct source {
	const struct object *object;
	int mem;
	uint64_t head;
};

static bool get_bytes(const struct source *from, void *to, size_t size,
		      uint64_t offset)
{
	if (from->object)
		return object_read(from->object, to, size, offset) == size;
	return pread(from->mem, to, size, (off_t)(from->head + offset)) ==
	       (ssize_t)size;
}

/* A program header of either class as one of 64 bits. */
static Elf64_Phdr widen_phdr(const Elf32_Phdr *phdr)
{
	return (Elf64_Phdr){
		.p_type = phdr->p_type,
		.p_flags = phdr->p_flags,
		.p_offset = phdr->p_offset,
		.p_vaddr = phdr->p_vaddr,
		.p_filesz = phdr->p_filesz,
		.p_memsz = phdr->p_memsz,
	};
}

static void add_segment(struct object *object, const Elf64_Phdr *phdr)
{
	/* The kernel maps whole pages. */
	uint64_t before = phdr->p_vaddr % PAGE;
	struct segment segment = {
		.vaddr = phdr->p_vaddr - before,
		.offset = phdr->p_offset - before,
		.size = phdr->p_filesz + before,
	};

	if (phdr->p_offset % PAGE != before || !phdr->p_filesz ||
	    segment.size < before)
		return;
	segment.size = (segment.size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (!segment.size || segment.vaddr + segment.size < segment.vaddr ||
	    segment.offset + segment.size < segment.offset)
		return;
	object->segments = xgrow(object->segments, object->nr_segments,
				 sizeof(*object->segments));
	object->segments[object->nr_segments++] = segment;
}

static void read_interp(struct object *object, const struct source *from,
			const Elf64_Phdr *phdr)
{
	char path[4096];
	size_t size = phdr->p_filesz;

	if (object->interp || size < 2 || size > sizeof(path) ||
	    !get_bytes(from, path, size, phdr->p_offset) || path[size - 1])
		return;
	object->interp = xstrdup(path);
}

static void read_build_id(struct object *object, const struct source *from,
			  const Elf64_Phdr *phdr)
{
	unsigned char notes[NOTES_MAX];
	size_t size = phdr->p_filesz < sizeof(notes) ? phdr->p_filesz :
		      sizeof(notes);
	size_t at = 0, i, name, desc;
	Elf64_Nhdr note;

	if (object->build_id || !get_bytes(from, notes, size, phdr->p_offset))
		return;
	while (size - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		name = (note.n_namesz + (size_t)3) & ~(size_t)3;
		desc = (note.n_descsz + (size_t)3) & ~(size_t)3;
		if (name > size - at || desc > size - at - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && name == 4 &&
		    !memcmp(notes + at, "GNU", 4) && note.n_descsz &&
		    note.n_descsz <= 64) {
			object->build_id = xmalloc(2 * note.n_descsz + 1);
			for (i = 0; i < note.n_descsz; i++)
				sprintf(object->build_id + 2 * i, "%02x",
					notes[at + name + i]);
			return;
		}
		at += name + desc;
	}
}

static void read_phdr(struct object *object, const struct source *from,
		      const Elf64_Phdr *phdr)
{
	switch (phdr->p_type) {
	case PT_LOAD:
		if (phdr->p_flags & PF_X)
			add_segment(object, phdr);
		break;
	case PT_INTERP:
		read_interp(object, from, phdr);
		break;
	case PT_NOTE:
		read_build_id(object, from, phdr);
		break;
	}
}

static void read_phdrs(struct object *object, const struct source *from,
		       uint64_t at, unsigned int nr, bool is_wide)
{
	Elf32_Phdr narrow;
	Elf64_Phdr phdr;
	unsigned int i;

	for (i = 0; i < nr && i < PHDRS_MAX; i++) {
		if (is_wide) {
			if (!get_bytes(from, &phdr, sizeof(phdr),
				       at + i * sizeof(phdr)))
				return;
		} else {
			if (!get_bytes(from, &narrow, sizeof(narrow),
				       at + i * sizeof(narrow)))
				return;
			phdr = widen_phdr(&narrow);
		}
		read_phdr(object, from, &phdr);
	}
}

static void read_from(struct object *object, const struct source *from)
{
	const uint16_t one = 1;
	const int order = *(const unsigned char *)&one ? ELFDATA2LSB :
							 ELFDATA2MSB;
	unsigned char ident[EI_NIDENT];
	Elf32_Ehdr narrow;
	Elf64_Ehdr head;

	if (!get_bytes(from, ident, sizeof(ident), 0) ||
	    memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != order)
		return;
	if (ident[EI_CLASS] == ELFCLASS64) {
		if (!get_bytes(from, &head, sizeof(head), 0))
			return;
		object->entry = head.e_entry;
		object->machine = head.e_machine;
		object->fixed = head.e_type == ET_EXEC;
		read_phdrs(object, from, head.e_phoff, head.e_phnum, true);
	} else if (ident[EI_CLASS] == ELFCLASS32) {
		if (!get_bytes(from, &narrow, sizeof(narrow), 0))
			return;
		object->entry = narrow.e_entry;
		object->fixed = narrow.e_type == ET_EXEC;
		read_phdrs(object, from, narrow.e_phoff, narrow.e_phnum, false);
	}
	object->is_elf = true;
}

void elffile_read(struct object *object)
{
	read_from(object, &(struct source){ .object = object });
}

void elffile_read_mapped(struct object *object, int mem, uint64_t head)
{
	if (mem >= 0 && head)
		read_from(object, &(struct source){ .mem = mem, .head = head });
}
