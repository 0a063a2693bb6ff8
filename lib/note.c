// SPDX-License-Identifier: MIT
/*
 * The profiling note: does the program say that it was built to be profiled?
 * OpenBSD writes a file for no other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <string.h>

#include "internal.h"

#define ELF_NHDR	ElfW(Nhdr)
#define ELF_PHDR	ElfW(Phdr)

static uint64_t align_to_4(uint64_t size)
{
	return (size + 3) & ~(uint64_t)3;
}

static bool has_note(const char *notes, uint64_t size)
{
	uint64_t pos = 0, name, end;
	ELF_NHDR note;

	while (pos + sizeof(note) <= size) {
		memcpy(&note, notes + pos, sizeof(note));
		name = pos + sizeof(note);
		end = name + align_to_4(note.n_namesz) +
		      align_to_4(note.n_descsz);
		if (end > size)
			return false;
		if (note.n_type == PROFIL_NOTE_TYPE &&
		    note.n_namesz == sizeof(PROFIL_NOTE_NAME) &&
		    !memcmp(notes + name, PROFIL_NOTE_NAME,
			    sizeof(PROFIL_NOTE_NAME)))
			return true;
		pos = end;
	}
	return false;
}

/* A linker script can leave a note out of what is loaded. */
static bool notes_are_loaded(const struct dl_phdr_info *info,
			     const ELF_PHDR *notes)
{
	const ELF_PHDR *load = info->dlpi_phdr;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++, load++)
		if (load->p_type == PT_LOAD && load->p_flags & PF_R &&
		    notes->p_vaddr - load->p_vaddr <= load->p_filesz &&
		    notes->p_filesz <= load->p_filesz -
				       (notes->p_vaddr - load->p_vaddr))
			return true;
	return false;
}

/* The first object is the program: returns 1 if it has the note, else 2. */
static int look_at_notes(struct dl_phdr_info *info, size_t size, void *arg)
{
	int i;

	(void)size;
	(void)arg;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ELF_PHDR *notes = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + notes->p_vaddr;

		if (notes->p_type == PT_NOTE && notes_are_loaded(info, notes) &&
		    has_note((const char *)at, notes->p_filesz))
			return 1;
	}
	return 2;
}

int profil_note_check(void)
{
	return dl_iterate_phdr(look_at_notes, NULL) == 1 ? 0 :
							   profil_fail(EPERM);
}
