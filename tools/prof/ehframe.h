/* SPDX-License-Identifier: MIT */
/* The entries of .eh_frame, one for each function. */
#ifndef PROF_EHFRAME_H
#define PROF_EHFRAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry of .eh_frame (FDE) and the common one that it refers to (CIE). */
struct entries {
	struct common {
		Dwarf_Off offset;
		unsigned char encoding;	/* of addresses, DW_EH_PE_* */
		Dwarf_CIE cie;
	} *commons;			/* by offset in each section */
	struct entry {
		uint64_t start, end;
		const unsigned char *program, *end_program;
		size_t common;
	} *list;			/* in the section's order */
	size_t nr_commons, nr;
	size_t nr_texts;		/* added for text without an entry */
};

/* Adds those of .eh_frame (eh) or of .debug_frame; valid until elf_end(). */
void entries_read(struct entries *entries, Elf *elf, unsigned int word,
		  bool eh);
void entries_free(struct entries *entries);

#endif /* PROF_EHFRAME_H */
