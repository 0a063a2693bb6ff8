/* SPDX-License-Identifier: MIT */
/* Text without an entry of .eh_frame: what finds the caller there. */
#ifndef PROFIL_BARE_H
#define PROFIL_BARE_H

#include <gelf.h>

#include "cfa.h"
#include "ehframe.h"
#include "object.h"

#define BARE_SECTIONS	16

/* What is known of such text: the common of an entry without a program. */
enum known { IS_BEGIN, IS_STUB, IS_GENERATED, IS_TRAMPOLINE };

/* Sections with instructions, ascending. */
struct bare_sections {
	struct bare_section {
		const unsigned char *code;	/* until elf_end() */
		uint64_t start, size;
	} list[BARE_SECTIONS];
	size_t nr;
};

/* Go keeps frame pointers; what C it has in it has entries. */
enum bare_go {
	NO_GO, GO,
	GO_UNKNOWN,	/* its table does not say where its stacks begin */
};

/* Adds entries for where Go's stacks begin. */
enum bare_go bare_go(struct entries *entries, Elf *elf);
void bare_sections(struct bare_sections *sections, Elf *elf);
/* Adds entries for what is known; without sections not for where main() is called. */
void bare_texts(struct entries *entries, Elf *elf, const struct object *object,
		const struct bare_sections *sections);

/*
 * Finds the rows of functions by their instructions (x86-64): those that the
 * compiler and the C library add to each object have no entry.  Of n bytes, which
 * no entry has, it returns how many of the first have rows now.
 */
size_t bare_code(const unsigned char *code, size_t n, uint64_t address,
		 cfa_row *row, void *arg);

#endif /* PROFIL_BARE_H */
